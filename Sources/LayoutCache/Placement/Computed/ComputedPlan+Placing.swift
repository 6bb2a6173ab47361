import CollectionLayout
import LayoutGeometry
import SumTree

extension ComputedPlan: ReplacingPlacing {
  func keptOfNoItems(_ shapes: TreeShapes) -> KeptCount { KeptCount(0) }

  func layOut(
    _ items: SectionItems, into sink: (any NodeSink)?, work: inout LayoutWork
  ) -> KeptCount { KeptCount(items.count) }

  func contentLength(of kept: KeptCount) throws -> Length {
    try contentLength(ofCount: kept.itemCount)
  }

  func difference(of kept: KeptCount, _ items: SectionItems) -> String? { nil }

  func findItems(
    in rect: Rect, from firstItem: Int, of kept: KeptCount, _ items: SectionItems,
    into cells: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    let found = self.items(in: rect.minY..<rect.maxY, ofCount: kept.itemCount)
    for index in max(found.lowerBound, firstItem)..<max(found.upperBound, firstItem) {
      let cell = item(at: index, of: kept, items)
      guard cell.frame.intersects(rect) else { continue }
      cells.append(cell)
      if try !handOn(&cells) { return }
    }
  }

  func item(at index: Int, of kept: KeptCount, _ items: SectionItems) -> PlacedCell {
    PlacedCell(
      index: index, frame: frame(at: index, ofCount: kept.itemCount), column: column(of: index))
  }

  func append(
    _ range: Range<Int>, of kept: KeptCount, _ items: SectionItems,
    to cells: inout [PlacedCell]
  ) {
    for index in range { cells.append(item(at: index, of: kept, items)) }
  }

  func follow(
    _ changes: ItemHunks, _ kept: inout KeptCount, _ items: SectionItems
  ) throws -> PlacementChange {
    let before = kept
    kept = KeptCount(changes.count)
    var change = PlacementChange()
    change.areColumnsComputed = true
    change.hasNewContent = kept.itemCount != before.itemCount
    for hunk in changes.hunks { change.note(items: hunk.new) }
    guard changes.isReordered, let first = changes.hunks.first else { return change }
    var start = first.new.lowerBound
    var top = Length.zero
    switch self {
    case .grid(let plan):
      top = frame(at: start, ofCount: changes.count).minY
      change.columns.insert(0..<plan.tracks.count)
    case .circle:
      // A different number of items changes the angle between them.
      if change.hasNewContent { start = 0 }
    }
    change.note(items: start..<changes.count)
    let end = max(try contentLength(of: before), try contentLength(of: kept))
    change.note(interval: top.units..<max(top, end).units)
    return change
  }
}

/// The stored form of a section whose item positions follow from the item count and the index.
struct KeptCount: StoredSection {
  static let tag: UInt8 = 2

  var itemCount: Int

  init(_ itemCount: Int) { self.itemCount = itemCount }

  var elementCount: Int { 0 }

  var treeDepth: Int { 0 }

  func shaped(_ shapes: TreeShapes) -> KeptCount { self }

  var byteCount: Int { 0 }

  func store(into sink: any NodeSink) {}

  func copied(
    into sink: any NodeSink, _ shapes: TreeShapes, in session: TreeSession
  ) -> KeptCount { self }

  func unloaded() -> KeptCount { self }

  func drop(_ edits: inout TreeEdits) {}

  func checkInvariants(_ shapes: TreeShapes, in session: TreeSession) {}

  // count  varint, at least 1

  func encode(into writer: inout ByteWriter) { writer.writeCount(itemCount) }

  init(from reader: inout ByteReader) throws(ByteError) {
    itemCount = try reader.readCount(limit: Limits.itemsMax)
    guard itemCount > 0 else { throw reader.malformed("section count") }
  }
}
