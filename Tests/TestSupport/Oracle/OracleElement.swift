/// One element of an answer, its frame in units of 1/64 point.
public struct OracleElement: Hashable, Sendable {
  public enum Category: String, Sendable {
    case cell, supplementary, decoration
  }

  public var category: Category
  /// "header", "footer", or the name of another kind; nil for cells.
  public var kind: String?
  /// The section of an element of the whole layout.
  public static let noSection = -1

  /// The item's key; nil for all but cells.
  public var key: String?
  /// ``noSection`` for elements of the whole layout, and then without a key.
  public var section: Int
  public var sectionKey: String
  /// The index in the section of the cell, or of the one that the element belongs to, or the
  /// number of a run; nil for other elements.
  public var item: Int?
  public var x: Int64
  public var y: Int64
  public var width: Int64
  public var height: Int64
  public var zIndex: Int
  public var alpha: Double
  public var isHidden: Bool
  /// m11, m12, …, m44, about the middle of the untransformed frame; lengths in points. Nil for
  /// the identity.
  public var transform3D: [Double]?
  /// Before the transform; nil without one.
  public var untransformed: UnitRect?
  /// Further values, as JSON with sorted members; nil for none.
  public var values: String?
  /// First column of the cell's span, counted from the leading edge; nil for
  /// all but cells of layouts with columns.
  public var column: Int?

  public init(
    category: Category, kind: String? = nil, key: String? = nil, section: Int,
    sectionKey: String, item: Int? = nil, frame: UnitRect, zIndex: Int = 0, column: Int? = nil,
    alpha: Double = 1, isHidden: Bool = false, transform3D: [Double]? = nil
  ) {
    (self.category, self.kind, self.key, self.section) = (category, kind, key, section)
    (self.sectionKey, self.item) = (sectionKey, item)
    self.x = frame.x
    self.y = frame.y
    self.width = frame.width
    self.height = frame.height
    (self.zIndex, self.column, self.alpha, self.isHidden) = (zIndex, column, alpha, isHidden)
    self.transform3D = transform3D
  }

  /// Whether it is the cell of a collapsed item.
  public var isCollapsed: Bool { isHidden && width == 0 && height == 0 }

  /// Before any transform.
  public var laidOut: UnitRect { untransformed ?? frame }

  /// The bounding box, for a transformed element.
  public var frame: UnitRect {
    get { UnitRect(x: x, y: y, width: width, height: height) }
    set { (x, y, width, height) = (newValue.x, newValue.y, newValue.width, newValue.height) }
  }
}

extension OracleElement {
  private static let identity = (0..<16).map { $0 % 5 == 0 ? 1.0 : 0 }

  /// Whether the two are equal up to floating-point rounding: each number of a transform may
  /// differ by the tolerance, and each edge of a transformed frame, which may be halfway
  /// between two units, by one unit.
  public func isEqual(to other: OracleElement, transformTolerance: Double) -> Bool {
    if transform3D == nil && other.transform3D == nil { return self == other }
    let numbers = transform3D ?? Self.identity
    let others = other.transform3D ?? Self.identity
    guard numbers.count == others.count,
      zip(numbers, others).allSatisfy({ abs($0 - $1) <= transformTolerance }),
      zip(edges, other.edges).allSatisfy({ abs($0 - $1) <= 1 })
    else { return false }
    var rest = other
    if let untransformed, let frame = other.untransformed, frame != untransformed { return false }
    rest.transform3D = transform3D
    rest.untransformed = untransformed
    rest.frame = frame
    return rest == self
  }

  private var edges: [Int64] { [x, y, frame.maxX, frame.maxY] }
}

extension [OracleElement] {
  /// Whether two answers to the same query are equal, compared element by element as
  /// transformed elements are. A transformed element within a unit of the rectangle's edge may
  /// be missing from one of them.
  public func isEqual(
    to other: [OracleElement], in rect: UnitRect, transformTolerance: Double
  ) -> Bool {
    let places = Set(map(\.place))
    let otherPlaces = Set(other.map(\.place))
    let single =
      filter { !otherPlaces.contains($0.place) } + other.filter { !places.contains($0.place) }
    let common = filter { otherPlaces.contains($0.place) }
    let otherCommon = other.filter { places.contains($0.place) }
    return single.allSatisfy { $0.isDoubtful(in: rect) }
      && common.count == otherCommon.count
      && zip(common, otherCommon).allSatisfy {
        $0.isEqual(to: $1, transformTolerance: transformTolerance)
      }
  }
}

extension OracleElement {
  /// The identity of an element; unique within an answer.
  fileprivate struct Place: Hashable {
    var category: Category
    var kind: String?
    var section: Int
    var item: Int?
  }

  fileprivate var place: Place {
    Place(category: category, kind: kind, section: section, item: item)
  }

  /// Whether the frame, smaller by a unit on every side, is outside the rectangle.
  fileprivate func isDoubtful(in rect: UnitRect) -> Bool {
    transform3D != nil
      && !UnitRect(x: x + 1, y: y + 1, width: width - 2, height: height - 2).intersects(rect)
  }
}
