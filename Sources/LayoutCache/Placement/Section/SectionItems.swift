import CollectionLayout
import LayoutGeometry
import SumTree

/// A layout's view of items: their sizes in canonical axes, and their measured lengths in that
/// layout.
struct ItemView: Sendable {
  /// The layout's identifier.
  let layout: Int64
  let space: LayoutSpace

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

/// The items of a section in its layout's view, with the context for placing them: those that are
/// not collapsed, by place among them.
struct SectionItems {
  /// The number of items that are not collapsed.
  let count: Int
  /// The number of items, with those that are collapsed.
  private let itemCount: Int
  let shapes: TreeShapes
  let session: TreeSession
  private let view: ItemView
  /// The index of the section's first item in the dataset.
  private let firstItem: Int
  private let items: SumTree<ItemLeaf>
  /// The items' data; `nil` if it is not read.
  private let data: SumTree<ItemDataLeaf>?
  /// Receives the progress of ``forEachRun(_:)``.
  private let watch: ProgressReporter?
  /// The items' places; `nil` if these are their indices.
  private let places: ItemPlaces?
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
  ) throws {
    self.watch = watch
    places = try items.places(of: range, session)
    (count, itemCount) = (places?.count ?? range.count, range.count)
    firstItem = range.lowerBound
    (self.view, self.shapes, self.session, self.items) = (view, shapes, session, items)
    self.data = data
  }

  /// Creates the items of a dataset's section for a plan.
  ///
  /// - Parameter readsData: Whether data is read even if placing items does not read it.
  init(
    _ dataset: DatasetTrees, in range: Range<Int>, for plan: SectionPlan, readsData: Bool = false,
    _ view: ItemView, _ shapes: TreeShapes, in session: TreeSession,
    watch: ProgressReporter? = nil
  ) throws {
    let readsData = (readsData || plan.kind.readsData) && !dataset.data.isEmpty
    try self.init(
      dataset.items, data: readsData ? dataset.data : nil, in: range, view, shapes, in: session,
      watch: watch)
  }

  /// Returns an item by its place.
  ///
  /// - Throws: ``Damage`` if the item does not exist: the layout is damaged, not the
  ///   items. ``ExceedsCommit``.
  mutating func item(at place: Int) throws -> LayoutItem {
    placingMax -= 1
    guard placingMax >= 0 else { throw ExceedsCommit() }
    return try item(withIndex: index(ofPlace: place))
  }

  /// Returns an item by its index in the section.
  ///
  /// - Throws: As ``item(at:)``.
  mutating func item(withIndex index: Int) throws -> LayoutItem {
    var item = try found(index) { [view] in view.item(at: $1, of: $0) }
    if let data {
      var finger = dataFinger.take() ?? ItemDataFinger(data, in: session)
      item.data = try finger.data(ofItem: firstItem + index)?.members
      dataFinger = finger
    }
    return item
  }

  /// Returns the result of `body` for an item's leaf and its index there.
  private mutating func found<R>(
    _ index: Int, _ body: (ItemLeaf, _ index: Int) -> R
  ) throws -> R {
    var finger = self.finger.take() ?? ElementFinger(items, in: session)
    guard try index >= 0 && index < itemCount && finger.seek(toElement: firstItem + index) else {
      throw Damage(detail: "it has more items than its dataset")
    }
    defer { self.finger = finger }
    return body(finger.leaf, finger.index)
  }

  func index(ofPlace place: Int) throws -> Int {
    try places?.index(ofPlace: place) ?? place
  }

  /// Returns the number of places before the item at an index.
  func place(ofIndex index: Int) throws -> Int {
    try places?.place(ofIndex: index) ?? index
  }

  /// Returns the place of the item at an index; `nil` if it is collapsed or does not exist.
  func placeIfPlaced(ofIndex index: Int) throws -> Int? {
    guard index < itemCount else { return nil }
    let place = try place(ofIndex: index)
    return try self.index(ofPlace: place) == index ? place : nil
  }

  mutating func isCollapsed(_ index: Int) throws -> Bool {
    try places != nil && found(index) { $0.isCollapsed(at: $1) }
  }

  /// Replaces the place of a cell by its item's index, and hides that of a hidden item.
  mutating func number(_ cell: inout PlacedCell) throws {
    cell.index = try index(ofPlace: cell.index)
    guard items.summary.hasHidden else { return }
    if try found(cell.index, { $0.visibility(at: $1) == .hidden }) { cell.look.isHidden = true }
  }

  /// Returns an item's key by the item's place.
  func key(at place: Int) throws -> String {
    let index = try index(ofPlace: place)
    guard index >= 0 && index < itemCount else { throw Damage.misplaced }
    let found = try items.place(at: firstItem + index, in: session)
    return found.leaf.key(at: found.index)
  }

  /// Calls `body` with all items in order, run by run.
  func forEachRun(_ body: (_ count: Int, _ item: (Int) -> LayoutItem) throws -> Void) throws {
    guard count <= placingMax else { throw ExceedsCommit() }
    let range = firstItem..<(firstItem + itemCount)
    var finger = data.map { ItemDataFinger($0, in: session) }
    try items.forEachLeaf(overlapping: range, in: session) { leaf, start in
      let wanted = range.clamped(to: start..<(start + leaf.count))
      var (run, first, count) = (leaf, wanted.lowerBound - start, wanted.count)
      if places != nil {
        run = leaf.slice(first..<(first + count)).placed
        (first, count) = (0, run.count)
      }
      if count == 0 {
        // No item of the leaf has a place.
      } else if finger == nil {
        try body(count) { [run, first] in view.item(at: first + $0, of: run) }
      } else {
        let data = try wanted.filter { places == nil || !leaf.isCollapsed(at: $0 - start) }
          .map { try finger?.data(ofItem: $0)?.members }
        try body(count) { [run, first] in
          var item = view.item(at: first + $0, of: run)
          item.data = data[$0]
          return item
        }
      }
      try watch?.didPlace(upTo: wanted.upperBound)
    }
  }
}
