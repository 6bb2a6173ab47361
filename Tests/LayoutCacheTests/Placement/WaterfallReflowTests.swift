import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random items of few sizes in an exact section's tree of tiny nodes, edited at
// random positions, several at a time; items are placed again around the edits, and all of them
// by a placement that starts at the first item.
//
// Invariants: the tree's items are exactly those from scratch; no item is placed twice; every
// item with another position or index is named, and its columns; everything that moved is in
// the interval.

@Suite struct WaterfallReflowTests {
  private struct NoWaterfall: Error {}

  private static func plan(_ members: String) throws -> WaterfallPlan {
    let text = #"{"kind":"waterfall","assignment":"exact",\#(members)}"#
    guard case .waterfall(let plan) = try EditedItems.plan(text) else { throw NoWaterfall() }
    return plan
  }

  private struct Placed: Equatable {
    var columns: Range<Int>
    var advance: Int64
    var start: Int64
  }

  private func placedFromScratch(_ list: EditedItems, _ plan: WaterfallPlan) throws -> [Placed] {
    var placement = WaterfallPlacement(plan: plan)
    return try list.items.map { entry in
      let item = plan.measure(
        LayoutItem(size: entry.item.size, columnSpan: entry.item.columnSpan))
      let column = try placement.place(length: item.length, columnSpan: item.columnSpan)
      let advance = item.length + plan.lineSpacing
      return Placed(
        columns: column..<(column + item.columnSpan), advance: advance.units,
        start: (placement.positions[column] - advance).units)
    }
  }

  private func placed(in tree: SumTree<WaterfallLeaf>, _ plan: WaterfallPlan) throws -> [Placed] {
    var positions = [Int64](repeating: 0, count: plan.tracks.count)
    var placed: [Placed] = []
    try tree.forEachLeaf(in: TreeSession()) { leaf, _ in
      for index in 0..<leaf.count {
        let start = leaf.place(index, on: &positions)
        placed.append(
          Placed(
            columns: leaf.columnRange(at: index), advance: leaf.advances[index], start: start))
      }
    }
    return placed
  }

  private func kept(_ placed: [Placed], _ plan: WaterfallPlan) throws -> StoredWaterfall {
    var builder = TreeBuilder<WaterfallLeaf>(shape: TreeShape(leafCapacity: 4, fanOut: 4))
    for item in placed {
      var run = WaterfallLeaf()
      run.append(
        column: item.columns.lowerBound, columnSpan: item.columns.count,
        advance: Length(units: item.advance))
      try builder.append(run)
    }
    return plan.kept(try builder.finish())
  }

  private func places(
    _ placed: [Placed], of list: EditedItems, _ plan: WaterfallPlan
  ) -> [Int: (index: Int, frame: Rect)] {
    var places: [Int: (index: Int, frame: Rect)] = [:]
    for (index, item) in placed.enumerated() {
      let across = plan.tracks.extent(
        column: item.columns.lowerBound, columnSpan: item.columns.count)
      places[list.items[index].number] = (
        index,
        Rect(
          x: across.lowerBound, y: Length(units: item.start),
          width: across.upperBound - across.lowerBound,
          height: Length(units: item.advance) - plan.lineSpacing)
      )
    }
    return places
  }

  private static let members = [
    #""columns":3,"lineSpacing":3"#,
    #""columns":5,"ties":"cursor","itemLength":"natural""#,
    #""columns":4,"ties":"cursor","tolerance":20,"lineSpacing":7"#,
    #""columns":2,"itemLength":40,"tolerance":100"#,
    #""columns":1"#,
  ]

  @Test(.property, arguments: PropertyRun.seeds, members)
  func itemsEqualThoseFromScratch(seed: UInt64, members: String) throws {
    let plan = try Self.plan(members)
    var generator = SeededGenerator(seed: seed)
    let session = TreeSession()
    var list = EditedItems(count: Int.random(in: 0...200, using: &generator), using: &generator)
    var before = try placedFromScratch(list, plan)
    var kept = try kept(before, plan)
    for _ in PropertyRun.each(seed, steps: 40) {
      let old = places(before, of: list, plan)
      let hunks = list.edit(using: &generator)
      let change = try plan.follow(hunks, &kept, list.sectionItems(in: session))
      try kept.tree.checkInvariants(in: session)
      let expected = try placedFromScratch(list, plan)
      try #require(try placed(in: kept.tree, plan) == expected)
      let new = places(expected, of: list, plan)
      #expect(change.unnamed(old, new) == [])
      #expect(change.recomputedItems <= list.items.count)
      for (number, place) in new where old[number]?.frame != place.frame {
        let columns = expected[place.index].columns
        #expect(columns.allSatisfy { change.columns.contains($0) }, "\(place)")
      }
      before = expected
    }
  }

  /// Items of one size, in rows of four, and some over all columns.
  private func rows(fences: Set<Int>, longer: Set<Int> = []) throws -> EditedItems {
    EditedItems(
      try (0..<400).map { number in
        try Item(
          key: "\(number)", width: 100, height: longer.contains(number) ? 150 : 100,
          columnSpan: fences.contains(number) ? 0 : 1)
      })
  }

  @Test func eachHunkEndsAtItsFence() throws {
    let plan = try Self.plan(#""columns":4"#)
    let fences: Set = [100, 200, 300]
    var kept = try kept(placedFromScratch(rows(fences: fences), plan), plan)
    let list = try rows(fences: fences, longer: [40, 60, 250])
    var hunks = ItemHunks(count: 400)
    for item in [40, 250, 60] { hunks.replace(item..<(item + 1), withCount: 1) }
    let change = try plan.follow(hunks, &kept, list.sectionItems())
    // After the fences items only move, and none is placed twice.
    #expect(change.recomputedItems == 101 - 40 + 301 - 250)
    #expect(change.items == RangeSet([40..<41, 44..<400]))
    let (found, expected) = (
      try placed(in: kept.tree, plan), try placedFromScratch(list, plan)
    )
    #expect(found == expected)
  }

  @Test func anEqualItemStopsThePlacement() throws {
    let plan = try Self.plan(#""columns":4"#)
    let list = try rows(fences: [])
    var kept = try kept(placedFromScratch(list, plan), plan)
    var hunks = ItemHunks(count: 400)
    for item in [7, 9, 300] { hunks.replace(item..<(item + 1), withCount: 1) }
    let session = TreeSession()
    let change = try plan.follow(hunks, &kept, list.sectionItems(in: session))
    #expect(change.recomputedItems == 3)
    #expect(!change.hasNewContent && session.edits.createdNodes == 0)
    #expect(change.items == RangeSet([7..<8, 9..<10, 300..<301]))
  }

  @Test func mergedHunksPlaceEachItemOnce() throws {
    let plan = try Self.plan(#""columns":5,"ties":"cursor""#)
    var generator = SeededGenerator(seed: 3)
    var list = EditedItems(count: 6000, using: &generator)
    var kept = try kept(placedFromScratch(list, plan), plan)
    var hunks = ItemHunks(count: 6000)
    for _ in 0..<(2 * Budgets.hunks) { list.edit(noting: &hunks, using: &generator) }
    let change = try plan.follow(hunks, &kept, list.sectionItems())
    #expect(change.recomputedItems <= list.items.count)
    let (found, expected) = (
      try placed(in: kept.tree, plan), try placedFromScratch(list, plan)
    )
    #expect(found == expected)
  }
}
