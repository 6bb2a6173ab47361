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

  /// The default appearance.
  static let plain = CellLook()

  var isPlain: Bool { zIndex == 0 && alpha == 1 && !isHidden }
}

/// The limit of the distance by which an item, a line or a run advances the following elements.
enum PlacedAdvance {
  /// A bound above the longest content plus the widest line spacing, in units. Numbers from the
  /// file are checked against it, so that sums of a few of them never overflow.
  static let max = Int(Limits.contentLengthMax.units) * 2
}
