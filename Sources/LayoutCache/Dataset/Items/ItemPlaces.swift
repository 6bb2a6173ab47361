import LayoutGeometry
import SumTree

/// The summary of a run of items.
struct ItemSummary: LabelledSummary {
  private var labels: LabelSummary
  /// Twice the number of collapsed items, and 1 more if an item is hidden: a word, since every node
  /// has a summary for each child.
  private var hiding: Int

  static let identity = ItemSummary(labels: .identity, collapsedCount: 0, hasHidden: false)

  var lastLabel: UInt64 { labels.last }

  var collapsedCount: Int { hiding >> 1 }

  /// Whether an item is hidden, which does not include collapsed ones.
  var hasHidden: Bool { hiding & 1 == 1 }

  /// Whether an item is not shown.
  var isPartlyHidden: Bool { hiding != 0 }

  mutating func append(_ next: ItemSummary) {
    labels.append(next.labels)
    hiding = Self.sum(hiding, next.hiding)
  }

  private static func sum(_ a: Int, _ b: Int) -> Int { (a & ~1) + (b & ~1) | (a | b) & 1 }

  func isProduct(of children: ContiguousArray<ItemSummary>) -> Bool {
    labels.isLast(of: children.lazy.map(\.lastLabel))
      && children.reduce(0) { Self.sum($0, $1.hiding) } == hiding
  }

  init(labels: LabelSummary, collapsedCount: Int, hasHidden: Bool) {
    (self.labels, hiding) = (labels, collapsedCount << 1 | (hasHidden ? 1 : 0))
  }

  // labels     as LabelSummary
  // collapsed  varint: the number of collapsed items, and in the lowest bit whether one is hidden

  func encode(into writer: inout ByteWriter) {
    labels.encode(into: &writer)
    writer.writeCount(hiding)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    labels = try LabelSummary(from: &reader)
    hiding = try reader.readCount(limit: Limits.itemsMax << 1)
  }
}

/// The number of items before a position that are not collapsed.
private struct PlacedCount: ElementDimension {
  var count = 0

  mutating func advance(over summary: ItemSummary, count: Int) {
    self.count += count - summary.collapsedCount
  }

  mutating func pass(_ index: Int, of leaf: ItemLeaf) {
    if !leaf.isCollapsed(at: index) { count += 1 }
  }
}

extension SumTree<ItemLeaf> {
  /// Returns the number of collapsed items of a range.
  ///
  /// - Complexity: O(log items) nodes; none if no item is collapsed.
  func collapsedCount(in range: Range<Int>, _ session: TreeSession) throws -> Int {
    if summary.collapsedCount == 0 || range.isEmpty { return 0 }
    var placed = PlacedCount()
    try fold(range, into: &placed, in: session)
    // The summaries of a damaged file may count more than there are.
    return max(0, min(range.count - placed.count, range.count))
  }

  /// Returns the places of a section's items; `nil` if none is collapsed: each item's place is its
  /// index.
  func places(of range: Range<Int>, _ session: TreeSession) throws -> ItemPlaces? {
    let collapsed = try collapsedCount(in: range, session)
    return collapsed == 0 ? nil : try ItemPlaces(self, in: range, collapsed, session)
  }
}

/// The places of a section's items: their indices among those that are not collapsed. Only these
/// are placed by layouts, which know items by place.
///
/// A class: few sections have it, and all pass a reference.
final class ItemPlaces {
  /// The number of items that are not collapsed.
  let count: Int
  /// The section's items, by index in the dataset.
  private let range: Range<Int>
  /// The number of items before the section that are not collapsed.
  private let first: Int
  private var finger: ElementFinger<ItemLeaf, PlacedCount>

  fileprivate init(
    _ items: SumTree<ItemLeaf>, in range: Range<Int>, _ collapsed: Int, _ session: TreeSession
  ) throws {
    count = range.count - collapsed
    first = range.lowerBound - (try items.collapsedCount(in: 0..<range.lowerBound, session))
    self.range = range
    finger = ElementFinger(items, from: PlacedCount(), in: session)
  }

  /// Returns the index of the item at a place; the number of items if there is none.
  func index(ofPlace place: Int) throws -> Int {
    guard place < count, try finger.seek(where: { [first] in $0.count > first + place }) else {
      return range.count
    }
    return finger.offset - range.lowerBound
  }

  /// Returns the number of places before the item at an index.
  func place(ofIndex index: Int) throws -> Int {
    guard index < range.count, try finger.seek(toElement: range.lowerBound + index) else {
      return count
    }
    return finger.before.count - first
  }

  /// Returns the items of a range of places, with the collapsed ones after the item before it and
  /// up to its last item; those to the section's end if it reaches that.
  func indices(of places: Range<Int>) throws -> Range<Int> {
    let start = places.lowerBound == 0 ? 0 : try index(ofPlace: places.lowerBound - 1) + 1
    if places.upperBound >= count { return min(start, range.count)..<range.count }
    return start..<max(start, try index(ofPlace: places.upperBound - 1) + 1)
  }
}
