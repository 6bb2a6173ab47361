/// One element of an answer, its frame in units of 1/64 point.
public struct OracleElement: Hashable, Sendable {
  public enum Category: String, Sendable {
    case cell, supplementary, decoration
  }

  public var category: Category
  /// "header", "footer" or the background's kind; nil for cells.
  public var kind: String?
  /// The item's key; nil for all but cells.
  public var key: String?
  public var section: Int
  public var sectionKey: String
  /// Index in the section; nil for all but cells.
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
  /// First column of the cell's span, counted from the leading edge; nil for
  /// all but cells of layouts with columns.
  public var column: Int?

  public init(
    category: Category, kind: String? = nil, key: String? = nil, section: Int,
    sectionKey: String, item: Int? = nil, frame: UnitRect, zIndex: Int = 0, column: Int? = nil,
    alpha: Double = 1, isHidden: Bool = false, transform3D: [Double]? = nil
  ) {
    self.category = category
    self.kind = kind
    self.key = key
    self.section = section
    self.sectionKey = sectionKey
    self.item = item
    self.x = frame.x
    self.y = frame.y
    self.width = frame.width
    self.height = frame.height
    self.zIndex = zIndex
    self.column = column
    self.alpha = alpha
    self.isHidden = isHidden
    self.transform3D = transform3D
  }

  /// The bounding box, for a transformed element.
  public var frame: UnitRect {
    get { UnitRect(x: x, y: y, width: width, height: height) }
    set { (x, y, width, height) = (newValue.x, newValue.y, newValue.width, newValue.height) }
  }
}
