import CollectionLayout
import LayoutGeometry
import SumTree

/// A layout's view of items: their sizes in canonical axes, and their measured lengths in that
/// layout.
struct ItemView: Sendable {
  /// The layout's identifier.
  let layout: Int64
  let space: LayoutSpace

  /// Returns an item of a leaf.
  func item(at index: Int, of leaf: ItemLeaf) -> LayoutItem {
    let preferred =
      leaf.preferredLengths.isEmpty ? nil : leaf.preferredLength(at: index, layout: layout)
    return LayoutItem(
      size: space.oriented(leaf.size(at: index)), columnSpan: leaf.columnSpan(at: index),
      preferredLength: preferred?.length, preferredCrossLength: preferred?.crossLength)
  }
}

/// The error thrown if a commit would place more items than other writers should wait for.
struct ExceedsCommit: Error {}

/// The items of a section in its layout's view, with the context for placing them.
struct SectionItems {
  /// The number of items.
  let count: Int
  let shapes: TreeShapes
  let session: TreeSession
  private let view: ItemView
  /// The index of the section's first item in the dataset.
  private let firstItem: Int
  private let items: SumTree<ItemLeaf>
  /// The items' data; `nil` if the section's plan does not read it.
  private let data: SumTree<ItemDataLeaf>?
  /// Receives the progress of ``forEachRun(_:)``.
  private let watch: ProgressReporter?
  /// The number of items that may still be requested.
  var placingMax = Int.max
  /// Created for the first requested item: a waterfall's query requests none, and copying a
  /// finger costs as much as finding an element.
  private var finger: ElementFinger<ItemLeaf, ElementOffset<ItemLeaf>>?
  private var dataFinger: ItemDataFinger?

  /// - Parameters:
  ///   - data: The items' data, if the section's plan reads it.
  ///   - range: The section's items, by index in the dataset.
  ///   - watch: Receives the number of placed items.
  init(
    _ items: SumTree<ItemLeaf>, data: SumTree<ItemDataLeaf>? = nil, in range: Range<Int>,
    _ view: ItemView, _ shapes: TreeShapes, in session: TreeSession, watch: ProgressReporter? = nil
  ) {
    self.watch = watch
    count = range.count
    firstItem = range.lowerBound
    (self.view, self.shapes, self.session, self.items) = (view, shapes, session, items)
    self.data = data
  }

  /// Creates the items of a dataset's section for a plan.
  init(
    _ dataset: DatasetTrees, in range: Range<Int>, for plan: SectionPlan, _ view: ItemView,
    _ shapes: TreeShapes, in session: TreeSession, watch: ProgressReporter? = nil
  ) {
    let readsData = plan.kind.readsData && !dataset.data.isEmpty
    self.init(
      dataset.items, data: readsData ? dataset.data : nil, in: range, view, shapes, in: session,
      watch: watch)
  }

  /// Returns an item by its index in the section.
  ///
  /// - Throws: ``Damage`` if the item does not exist: the layout is damaged, not the
  ///   items. ``ExceedsCommit``.
  mutating func item(at index: Int) throws -> LayoutItem {
    placingMax -= 1
    guard placingMax >= 0 else { throw ExceedsCommit() }
    var finger = self.finger.take() ?? ElementFinger(items, in: session)
    guard try index >= 0 && index < count && finger.seek(toElement: firstItem + index) else {
      throw Damage(detail: "it has more items than its dataset")
    }
    var item = view.item(at: finger.index, of: finger.leaf)
    self.finger = finger
    if let data {
      var finger = dataFinger.take() ?? ItemDataFinger(data, in: session)
      item.data = try finger.data(ofItem: firstItem + index)?.members
      dataFinger = finger
    }
    return item
  }

  /// Returns an item's key by the item's index in the section.
  func key(at index: Int) throws -> String {
    guard index >= 0 && index < count else { throw Damage.misplaced }
    let found = try items.place(at: firstItem + index, in: session)
    return found.leaf.key(at: found.index)
  }

  /// Calls `body` with all items in order, run by run.
  func forEachRun(_ body: (_ count: Int, _ item: (Int) -> LayoutItem) throws -> Void) throws {
    guard count <= placingMax else { throw ExceedsCommit() }
    let range = firstItem..<(firstItem + count)
    var finger = data.map { ItemDataFinger($0, in: session) }
    try items.forEachLeaf(overlapping: range, in: session) { leaf, start in
      let wanted = range.clamped(to: start..<(start + leaf.count))
      let first = wanted.lowerBound - start
      if finger == nil {
        try body(wanted.count) { view.item(at: first + $0, of: leaf) }
      } else {
        let data = try wanted.map { try finger?.data(ofItem: $0)?.members }
        try body(wanted.count) {
          var item = view.item(at: first + $0, of: leaf)
          item.data = data[$0]
          return item
        }
      }
      try watch?.didPlace(upTo: wanted.upperBound)
    }
  }
}
