import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy and invariants as of `LineReflowTests`, for the rules of `TestKinds`.

@Suite struct CustomReflowTests {
  @Test(
    .property,
    arguments: PropertyRun.seeds,
    [
      #"{"kind":"stack","options":{"gap":3}}"#, #"{"kind":"timeline","options":{"gap":12}}"#,
      #"{"kind":"counter"}"#, #"{"kind":"overlap"}"#, #"{"kind":"pile"}"#,
      #"{"kind":"curious","options":{"lookahead":1}}"#,
      #"{"kind":"curious","options":{"lookahead":5}}"#,
      #"{"kind":"curious","options":{"index":true}}"#,
      #"{"kind":"curious","options":{"count":true,"lookahead":2}}"#,
    ])
  func placementsEqualThoseFromScratch(seed: UInt64, section: String) throws {
    let plan = try plan(section)
    var generator = SeededGenerator(seed: seed)
    let session = TreeSession()
    var list = EditedItems(count: Int.random(in: 0...200, using: &generator), using: &generator)
    var kept = KeptCustom(tree: try tree(of: list.sectionItems(), plan))
    var places = try places(in: kept, of: list, plan)
    for _ in PropertyRun.each(seed, steps: 40) {
      let hunks = list.edit(using: &generator)
      let change = try plan.follow(hunks, &kept, list.sectionItems(in: session))
      try kept.tree.checkInvariants(in: session)
      let scratch = KeptCustom(tree: try tree(of: list.sectionItems(), plan))
      let (found, expected) = (try leaf(of: kept.tree), try leaf(of: scratch.tree))
      try #require(found == expected)
      let new = try self.places(in: scratch, of: list, plan)
      #expect(change.unnamed(places, new) == [])
      places = new
    }
  }

  private static func height(at index: Int) -> Length {
    Length(units: Int64(64 * (20 + index * 7 % 13)))
  }

  /// Returns the change from shortening the item in the middle of a thousand.
  private func shorten(_ section: String, span: (Int) -> Int) throws -> PlacementChange {
    let plan = try plan(section)
    var run = ItemLeaf()
    for index in 0..<1000 {
      let height = Self.height(at: index)
      run.append(
        Item(
          key: "\(index)", size: Size(width: Length(units: 6400), height: height),
          columnSpan: span(index)))
    }
    func items() throws -> SectionItems {
      var builder = TreeBuilder<ItemLeaf>(shape: TreeShapes.standard.items)
      try builder.append(run)
      return try SectionItems(
        try builder.finish(), in: 0..<1000, try EditedItems.view, .standard, in: TreeSession())
    }
    var kept = KeptCustom(tree: try tree(of: items(), plan))
    run.resize(
      at: 500, to: Size(width: Length(units: 6400), height: Length(units: 64)),
      columnSpan: span(500))
    var hunks = ItemHunks(count: 1000)
    hunks.replace(500..<501, withCount: 1)
    return try plan.follow(hunks, &kept, items())
  }

  @Test func anEditPlacesItemsAgainUntilTheStateAgrees() throws {
    let stack = try shorten(#"{"kind":"stack"}"#) { _ in 1 }
    #expect(stack.recomputedItems == 1)
    let timeline = try shorten(#"{"kind":"timeline"}"#) { $0 % 20 == 0 ? 0 : 1 }
    #expect((1...20).contains(timeline.recomputedItems))
    // It reads the next three items: the three before the edit read it, and the following ones
    // are compared.
    let curious = try shorten(#"{"kind":"curious","options":{"lookahead":3}}"#) { _ in 2 }
    #expect((4...7).contains(curious.recomputedItems))
    let counter = try shorten(#"{"kind":"counter"}"#) { _ in 1 }
    #expect(counter.recomputedItems == 1, "its number is unchanged")
  }

  @Test func theIntervalStartsWhereTheEditDoes() throws {
    let stack = try shorten(#"{"kind":"stack"}"#) { _ in 1 }
    let start = (0..<500).map(Self.height).reduce(.zero, +)
    #expect(stack.interval?.lowerBound == start.units)
    #expect(stack.items == RangeSet(500..<1000))
  }

  private struct NoCustomPlan: Error {}

  private func plan(_ section: String) throws -> CustomPlan {
    guard case .custom(let plan) = try EditedItems.plan(section) else { throw NoCustomPlan() }
    return plan
  }

  private func tree(of items: SectionItems, _ plan: CustomPlan) throws -> SumTree<CustomLeaf> {
    var items = items
    var builder = TreeBuilder<CustomLeaf>(shape: TreeShape(leafCapacity: 4, fanOut: 4))
    var state: [Int64] = []
    var run = CustomLeaf()
    let all = try (0..<items.count).map { try items.item(at: $0) }
    for (index, item) in all.enumerated() {
      let placement = try plan.place(
        item, index: index, of: all.count, before: all[(index + 1)...].prefix(plan.lookahead),
        state: &state)
      run.append(placement, state: state)
    }
    try builder.append(run)
    return try builder.finish()
  }

  private func leaf(of tree: SumTree<CustomLeaf>) throws -> CustomLeaf {
    var all = CustomLeaf()
    try tree.forEachLeaf(in: TreeSession()) { leaf, _ in all = all.joined(with: leaf) }
    return all
  }

  private func places(
    in kept: KeptCustom, of list: EditedItems, _ plan: CustomPlan
  ) throws -> [Int: (index: Int, frame: Rect)] {
    let items = try list.sectionItems()
    var places: [Int: (index: Int, frame: Rect)] = [:]
    for (index, item) in list.items.enumerated() {
      places[item.number] = (index, try plan.item(at: index, of: kept, items).frame)
    }
    return places
  }
}
