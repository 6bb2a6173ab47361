import LayoutCache
import LayoutGeometry

/// The numbers for a call: ordinary ones, and extremes at chosen positions.
///
/// A call requests its numbers one after the other, always in the same order. Its first run
/// determines their count and forms.
final class ExtremeNumbers {
  enum Form { case whole, length, double }

  static let wholes: [Int] = [
    .min, .min + 1, -1 << 53, -1, 0, 1, 2, 1 << 31, 1 << 40, 1 << 53, .max - 1, .max,
  ]
  static let lengths: [Int64] = [
    .min, .min + 1, -1 << 62, -1 << 53, -1, 0, 1, 1 << 31, 1 << 50, 1 << 53, (1 << 53) + 1,
    1 << 62, .max - 1, .max,
  ]
  static let doubles: [Double] = [
    .nan, -.infinity, .infinity, -1e308, -1, -0.0, 0, .leastNonzeroMagnitude, 1.0 / 64, 1,
    0x1p31, 0x1p53, 0x1p63, 1e308,
  ]

  /// The forms of the numbers that the last call requested.
  private(set) var forms: [Form] = []
  /// The extremes by the number's position in the call: indices in the lists above.
  private var chosen: [Int: Int] = [:]

  /// Begins a call.
  func begin(_ chosen: [Int: Int]) {
    forms = []
    self.chosen = chosen
  }

  /// The number of extremes of a form.
  static func count(_ form: Form) -> Int {
    switch form {
    case .whole: wholes.count
    case .length: lengths.count
    case .double: doubles.count
    }
  }

  /// The chosen extremes, for a message.
  static func text(_ chosen: [Int: Int], _ forms: [Form]) -> String {
    chosen.filter { $0.key < forms.count }.sorted { $0.key < $1.key }.map { place, index in
      let value =
        switch forms[place] {
        case .whole: "\(wholes[index])"
        case .length: "\(lengths[index]) units"
        case .double: "\(doubles[index])"
        }
      return "number \(place) is \(value)"
    }.joined(separator: ", ")
  }

  private func next<Value>(_ form: Form, _ extremes: [Value], _ usual: Value) -> Value {
    let extreme = chosen[forms.count]
    forms.append(form)
    return extreme.map { extremes[$0] } ?? usual
  }

  func whole(_ usual: Int = 1) -> Int { next(.whole, Self.wholes, usual) }

  func double(_ usual: Double = 1) -> Double { next(.double, Self.doubles, usual) }

  func length(_ usual: Int64 = 2560) -> Length {
    Length(units: next(.length, Self.lengths, usual))
  }

  func point() -> Point { Point(x: length(), y: length(1280)) }

  func size() -> Size { Size(width: length(12_800), height: length(9600)) }

  func rect() -> Rect {
    let origin = Point(x: length(0), y: length(64))
    return Rect(origin: origin, size: size())
  }

  func indexPath() -> LayoutAttributes.IndexPath {
    LayoutAttributes.IndexPath(section: whole(0), item: whole(1))
  }

  /// Attributes with arbitrary values, as from a client.
  func attributes(_ element: LayoutAttributes) -> LayoutAttributes {
    var element = element
    element.untransformedFrame = rect()
    element.indexPath = indexPath()
    element.zIndex = whole()
    element.alpha = double()
    return element
  }

  func range() -> Range<Int> {
    let (one, other) = (whole(0), whole(3))
    return min(one, other)..<max(one, other)
  }
}
