import CollectionLayout
import LayoutGeometry
import SumTree

/// How a layout sees items: their sizes in canonical axes, and the lengths that were
/// measured for them in that layout.
struct ItemView: Sendable {
  /// The layout's id.
  let layout: Int64
  let space: LayoutSpace

  /// An item of a leaf.
  func item(at index: Int, of leaf: ItemLeaf) -> LayoutItem {
    let preferred =
      leaf.preferredLengths.isEmpty ? nil : leaf.preferredLength(at: index, layout: layout)
    return LayoutItem(
      size: space.oriented(leaf.size(at: index)), columnSpan: leaf.columnSpan(at: index),
      preferredLength: preferred?.length, preferredCrossLength: preferred?.crossLength)
  }
}

/// The items of one section as its layout sees them, and what placing them takes.
struct SectionItems {
  /// How many they are.
  let count: Int
  let shapes: TreeShapes
  let session: TreeSession
  private let view: ItemView
  /// The number of the section's first item, counted from the dataset's.
  private let firstItem: Int
  private let items: SumTree<ItemLeaf>
  /// Told of the items that ``forEachRun(_:)`` has gone through.
  private let watch: LayoutWatch?
  /// Made when the first item is asked for: a waterfall's query asks for none, and to
  /// copy one costs as much as finding an element.
  private var finger: ElementFinger<ItemLeaf, ElementOffset<ItemLeaf>>?

  /// - Parameters:
  ///   - range: The section's items, counted from the dataset's first.
  ///   - watch: Told of the items that have been placed.
  init(
    _ items: SumTree<ItemLeaf>, in range: Range<Int>, _ view: ItemView, _ shapes: TreeShapes,
    in session: TreeSession, watch: LayoutWatch? = nil
  ) {
    self.watch = watch
    count = range.count
    firstItem = range.lowerBound
    self.view = view
    self.shapes = shapes
    self.session = session
    self.items = items
  }

  /// An item by its number in the section.
  ///
  /// - Throws: ``DamagedLayout`` where there is none: what a layout holds may be
  ///   damaged, and the items are not to blame.
  mutating func item(at index: Int) throws -> LayoutItem {
    var finger = self.finger.take() ?? ElementFinger(items, in: session)
    guard try index >= 0 && index < count && finger.seek(toElement: firstItem + index) else {
      throw DamagedLayout(detail: "it has more items than its dataset")
    }
    let item = view.item(at: finger.index, of: finger.leaf)
    self.finger = finger
    return item
  }

  /// Calls `body` with all items in order, run by run.
  func forEachRun(_ body: (_ count: Int, _ item: (Int) -> LayoutItem) throws -> Void) throws {
    let range = firstItem..<(firstItem + count)
    try items.forEachLeaf(overlapping: range, in: session) { leaf, start in
      let wanted = range.clamped(to: start..<(start + leaf.count))
      try body(wanted.count) { view.item(at: wanted.lowerBound - start + $0, of: leaf) }
      try watch?.didPlace(upTo: wanted.upperBound)
    }
  }
}
