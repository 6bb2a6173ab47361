import CollectionLayout
import LayoutGeometry

/// A section's placed items together with the plan that placed them, for queries.
///
/// The stored section was checked against the plan's kind when the value was created.
protocol PlacedItems: Sendable {
  /// As `SectionPlacing.findItems(in:from:of:_:into:_:)`.
  func findItems(
    in rect: Rect, from firstItem: Int, _ items: SectionItems, into cells: inout [PlacedCell],
    _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws

  /// As `SectionPlacing.item(at:of:_:)`.
  func item(at index: Int, _ items: SectionItems) throws -> PlacedCell

  /// As `SectionPlacing.append(_:of:_:to:)`.
  func append(
    _ range: Range<Int>, _ items: SectionItems, to cells: inout [PlacedCell]
  ) throws

  /// As `SectionPlacing.firstItem(endingAfter:of:_:)`.
  func firstItem(endingAfter position: Length, _ items: SectionItems) throws -> PlacedCell?

  /// As `SectionPlacing.extras(at:of:_:)`.
  func extras(at index: Int, _ items: SectionItems) throws -> CellExtras?
}

extension PlacedItems {
  func extras(at index: Int, _ items: SectionItems) throws -> CellExtras? { nil }

  /// Returns the extras of a cell; `nil` for most, without a search.
  func extras(of cell: PlacedCell, _ items: SectionItems) throws -> CellExtras? {
    cell.look.hasExtras ? try extras(at: cell.index, items) : nil
  }
}

/// The placed items of one section kind.
struct StoredItems<Placing: SectionPlacing>: PlacedItems {
  let placing: Placing
  let kept: Placing.Kept

  func findItems(
    in rect: Rect, from firstItem: Int, _ items: SectionItems, into cells: inout [PlacedCell],
    _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    try placing.findItems(in: rect, from: firstItem, of: kept, items, into: &cells, handOn)
  }

  func item(at index: Int, _ items: SectionItems) throws -> PlacedCell {
    try placing.item(at: index, of: kept, items)
  }

  func append(
    _ range: Range<Int>, _ items: SectionItems, to cells: inout [PlacedCell]
  ) throws {
    try placing.append(range, of: kept, items, to: &cells)
  }

  func firstItem(endingAfter position: Length, _ items: SectionItems) throws -> PlacedCell? {
    try placing.firstItem(endingAfter: position, of: kept, items)
  }

  func extras(at index: Int, _ items: SectionItems) throws -> CellExtras? {
    try placing.extras(at: index, of: kept, items)
  }
}

/// A placed item of a section.
struct PlacedCell {
  /// The item's index in its section.
  var index: Int
  /// The item's frame in canonical axes, relative to the content's start.
  var frame: Rect
  /// The item's first column, in kinds with columns.
  var column: Int?
  /// The item's appearance.
  var look = CellLook.plain
}

/// A cell's appearance. Only custom kinds set one.
struct CellLook: Hashable, Sendable {
  /// The opacity, from 0 to 1.
  var alpha = 1.0
  // 32 bits, because cells are copied by the thousand.
  var zIndex: Int32 = 0
  var isHidden = false
  /// Whether the cell has ``CellExtras``, which are looked up by its index: cells that are copied by
  /// the thousand contain no reference.
  var hasExtras = false

  /// The default appearance.
  static let plain = CellLook()

  var isPlain: Bool { zIndex == 0 && alpha == 1 && !isHidden && !hasExtras }
}

/// The transform and the values of a cell. Only custom kinds set them.
struct CellExtras: Hashable, Sendable {
  /// The transform about the frame's centre, in canonical axes.
  let transform: Transform3D
  let values: [String: ConfigurationValue]

  /// - Returns: `nil` for the identity without values.
  init?(_ transform: Transform3D, _ values: [String: ConfigurationValue]) {
    if transform.isIdentity && values.isEmpty { return nil }
    (self.transform, self.values) = (transform, values)
  }

  var byteCount: Int { 192 + 96 * values.count }
}

/// The limit of the distance by which an item, a line or a run advances the following elements.
enum PlacedAdvance {
  /// A bound above the longest content plus the widest line spacing, in units. Numbers from the
  /// file are checked against it, so that sums of a few of them never overflow.
  static let max = Int(Limits.contentLengthMax.units) * 2
}
