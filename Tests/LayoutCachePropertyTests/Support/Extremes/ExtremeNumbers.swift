import LayoutCache
import LayoutGeometry
import TestSupport

/// The numbers for a call: ordinary ones, and extremes at chosen positions.
///
/// A call requests its numbers one after the other, always in the same order. Its first run
/// determines their count and forms.
final class ExtremeNumbers {
  enum Form { case whole, length, double }

  /// The forms of the numbers that the last call requested.
  private(set) var forms: [Form] = []
  /// The extremes by the number's position in the call: indices in the lists of ``Extremes``.
  private var chosen: [Int: Int] = [:]

  /// Begins a call.
  func begin(_ chosen: [Int: Int]) {
    forms = []
    self.chosen = chosen
  }

  static func count(_ form: Form) -> Int {
    switch form {
    case .whole: Extremes.wholes.count
    case .length: Extremes.lengths.count
    case .double: Extremes.doubles.count
    }
  }

  /// The chosen extremes, for a message.
  static func text(_ chosen: [Int: Int], _ forms: [Form]) -> String {
    chosen.filter { $0.key < forms.count }.sorted { $0.key < $1.key }.map { place, index in
      let value =
        switch forms[place] {
        case .whole: "\(Extremes.wholes[index])"
        case .length: "\(Extremes.lengths[index]) units"
        case .double: "\(Extremes.doubles[index])"
        }
      return "number \(place) is \(value)"
    }.joined(separator: ", ")
  }

  private func next<Value>(_ form: Form, _ extremes: [Value], _ usual: Value) -> Value {
    let extreme = chosen[forms.count]
    forms.append(form)
    return extreme.map { extremes[$0] } ?? usual
  }

  func whole(_ usual: Int = 1) -> Int { next(.whole, Extremes.wholes, usual) }

  func double(_ usual: Double = 1) -> Double { next(.double, Extremes.doubles, usual) }

  func length(_ usual: Int64 = 2560) -> Length {
    Length(units: next(.length, Extremes.lengths, usual))
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
