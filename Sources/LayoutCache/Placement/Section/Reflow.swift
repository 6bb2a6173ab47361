import CollectionLayout
import LayoutGeometry
import SumTree

/// The position before an element of a stored section.
protocol PlacedPosition: ElementDimension, Sendable {
  /// The section's start.
  init()

  /// The number of elements before it.
  var element: Int { get }
  /// The number of items before it.
  var item: Int { get }
  /// Its coordinate along the main axis, in units from the content's start.
  var position: Int64 { get }
}

/// A kind whose elements are computed from the items in sequence. After a change, elements are
/// placed again from shortly before it until they match the previous ones.
protocol ReflowingPlacing: TreePlacing, ReplacingPlacing {
  associatedtype Place: PlacedPosition where Place.Leaf == Kept.Leaf

  /// The number of items before a changed one to which the change may reach back.
  var reachBack: Int { get }

  /// Whether an item's position also depends on its index.
  var readsIndex: Bool { get }

  /// Returns the hunks of all items that changes may affect.
  func concerned(by changes: ItemHunks) -> ItemHunks

  /// Returns a placer for the items from an index on.
  ///
  /// - Parameters:
  ///   - items: The items after the changes.
  ///   - item: The index of the first item to place.
  ///   - element: The number of elements before the item.
  ///   - elements: The section, in which the elements before the item are the new ones.
  func placer(
    of items: SectionItems, from item: Int, at element: Int,
    _ elements: inout ElementFinger<Kept.Leaf, Place>
  ) throws -> Placer

  /// Whether a placer that has reached an item continues exactly as the previous section does
  /// at a position.
  func agrees(
    _ placer: Placer, with place: Place, of elements: inout ElementFinger<Kept.Leaf, Place>
  ) throws -> Bool

  /// Returns the extent of elements along the main axis, in units from the content's start;
  /// `nil` for an empty range.
  ///
  /// - Complexity: O(log items) nodes.
  func extent(
    of elements: Range<Int>, in tree: SumTree<Kept.Leaf>, _ session: TreeSession
  ) throws -> Range<Int64>?

  /// Checks a section against the limits.
  func check(_ tree: SumTree<Kept.Leaf>, in session: TreeSession) throws
}

extension ReflowingPlacing {
  var readsIndex: Bool { false }

  func concerned(by changes: ItemHunks) -> ItemHunks { changes }

  func check(_ tree: SumTree<Kept.Leaf>, in session: TreeSession) throws {
    try check(tree.summary)
  }

  func follow(
    _ changes: ItemHunks, _ kept: inout Kept, _ items: SectionItems
  ) throws -> PlacementChange {
    var reflow = Reflow(self, kept.tree, items, concerned(by: changes))
    try reflow.run()
    kept.tree = reflow.tree
    return reflow.change
  }
}

extension SumTree {
  /// Returns the position before an element, or after the last.
  ///
  /// - Complexity: O(log n) nodes.
  func place<Place: PlacedPosition>(
    before element: Int, _: Place.Type, in session: TreeSession
  ) throws -> Place where Place.Leaf == Leaf {
    var place = Place()
    try fold(0..<element, into: &place, in: session)
    return place
  }
}

/// The state of updating a section after changes of its items. Around each hunk elements are
/// placed again, until an element starts with the same unchanged item and in the same state as
/// before. Later elements are only shifted.
private struct Reflow<Plan: ReflowingPlacing> {
  private(set) var tree: SumTree<Plan.Kept.Leaf>
  private(set) var change = PlacementChange()
  private let plan: Plan
  private let changes: ItemHunks
  private let session: TreeSession
  private var items: SectionItems
  /// The section before the changes.
  private var old: ElementFinger<Plan.Kept.Leaf, Plan.Place>

  /// The start of unchanged elements.
  private struct Agreement {
    /// The index of the first item, after the changes.
    var item: Int
    /// The position before the changes.
    var place: Plan.Place
  }

  init(
    _ plan: Plan, _ tree: SumTree<Plan.Kept.Leaf>, _ items: SectionItems, _ changes: ItemHunks
  ) {
    self.plan = plan
    self.tree = tree
    self.items = items
    self.changes = changes
    session = items.session
    old = ElementFinger(tree, from: Plan.Place(), in: session)
    change.hasNewContent = false
  }

  mutating func run() throws {
    var growth = 0
    var agreed: Agreement?
    // The first element that has moved along the main axis, by index before and after.
    var moved: (old: Int, new: Int)?
    var hunk = 0
    while hunk < changes.hunks.count {
      let shift = changes.shift(after: hunk - 1)
      let first = try oldPlace(ofItem: changes.hunks[hunk].old.lowerBound - plan.reachBack)
      var start = Agreement(item: first.item + shift, place: first)
      // The previous run has already placed the first items of this hunk.
      if let agreed, agreed.item > start.item { start = agreed }
      let element = start.place.element + growth
      let (run, end) = try placeAgain(from: start, at: element, &hunk)
      let oldRange = start.place.element..<end.place.element
      let newRange = element..<(element + run.count)
      try replace(oldRange, with: run, growth: growth)
      growth += run.count - oldRange.count
      try note(oldRange, in: old.tree)
      try note(newRange, in: tree)
      let newEnd = try tree.place(before: newRange.upperBound, Plan.Place.self, in: session)
      let hasMoved = newEnd.position != end.place.position
      if hasMoved, moved == nil { moved = (oldRange.upperBound, newRange.upperBound) }
      let isRenumbered = end.item != end.place.item
      change.note(items: start.item..<(hasMoved || isRenumbered ? changes.count : end.item))
      agreed = end
      hunk += 1
    }
    if let moved {
      try note(moved.old..<old.tree.count, in: old.tree)
      try note(moved.new..<tree.count, in: tree)
    }
    try plan.check(tree, in: session)
  }

  /// Returns the position of the previous element that contains an item, clamped to the first
  /// element and to the end.
  private mutating func oldPlace(ofItem item: Int) throws -> Plan.Place {
    let item = max(0, item)
    return try old.seek(where: { $0.item > item }) ? old.before : oldEnd
  }

  /// The position after the last previous element.
  private var oldEnd: Plan.Place {
    get throws { try old.tree.place(before: old.tree.count, Plan.Place.self, in: session) }
  }

  /// Places items until they agree with the previous elements, or end.
  ///
  /// - Parameters:
  ///   - element: The number of new elements before the items.
  ///   - hunk: The first hunk; set to the last one that was passed.
  private mutating func placeAgain(
    from start: Agreement, at element: Int, _ hunk: inout Int
  ) throws -> (Plan.Kept.Leaf, Agreement) {
    var new = ElementFinger(tree, from: Plan.Place(), in: session)
    var placer = try plan.placer(of: items, from: start.item, at: element, &new)
    var run = Plan.Kept.Leaf()
    // The position after the checked elements of `run`.
    var place = Plan.Place()
    var isLookedAt = false
    var taken = start.item
    while true {
      if !isLookedAt {
        let next = start.item + place.item
        while hunk + 1 < changes.hunks.count, next >= changes.hunks[hunk + 1].new.lowerBound {
          hunk += 1
        }
        if let end = try agreement(placer, at: next, after: hunk) {
          change.recomputedItems += taken - start.item
          return (run.slice(0..<place.element), end)
        }
        isLookedAt = true
      }
      if place.element < run.count {
        place.pass(place.element, of: run)
        isLookedAt = false
      } else if taken < changes.count {
        try placer.take(items.item(at: taken), into: &run)
        taken += 1
      } else {
        break
      }
    }
    try placer.finish(into: &run)
    change.recomputedItems += taken - start.item
    hunk = changes.hunks.count - 1
    return (run, Agreement(item: changes.count, place: try oldEnd))
  }

  /// Returns the position from which the previous elements are valid again, if any.
  ///
  /// - Parameters:
  ///   - next: The index of the next item, after the changes.
  ///   - hunk: The last hunk that was passed.
  private mutating func agreement(
    _ placer: Plan.Placer, at next: Int, after hunk: Int
  ) throws -> Agreement? {
    guard next >= changes.hunks[hunk].new.upperBound else { return nil }
    let shift = changes.shift(after: hunk)
    let oldItem = next - shift
    let place = try oldPlace(ofItem: oldItem)
    guard place.item == oldItem else { return nil }
    if place.element < old.tree.count {
      if plan.readsIndex && shift != 0 { return nil }
      guard try plan.agrees(placer, with: place, of: &old) else { return nil }
    }
    return Agreement(item: next, place: place)
  }

  /// Replaces previous elements. Leading elements equal to their replacements stay: a change
  /// among equal items results in the same lines.
  ///
  /// - Parameter growth: The change of the element count by the previous hunks.
  private mutating func replace(
    _ range: Range<Int>, with run: Plan.Kept.Leaf, growth: Int
  ) throws {
    var equal = 0
    while equal < min(run.count, range.count),
      try old.seek(toElement: range.lowerBound + equal),
      run.isElement(equal, equalTo: old.index, of: old.leaf)
    {
      equal += 1
    }
    let rest = (range.lowerBound + equal + growth)..<(range.upperBound + growth)
    if rest.isEmpty && run.count == equal { return }
    change.hasNewContent = true
    try tree.replaceSubrange(rest, with: run.slice(equal..<run.count), in: session)
  }

  private mutating func note(_ elements: Range<Int>, in tree: SumTree<Plan.Kept.Leaf>) throws {
    if let extent = try plan.extent(of: elements, in: tree, session) {
      change.note(interval: extent)
    }
  }
}
