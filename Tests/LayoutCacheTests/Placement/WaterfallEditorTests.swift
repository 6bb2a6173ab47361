import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random edits of a stable section in a tree of nodes of four, compared with plain
// arrays that are placed from the first item, in their existing columns.
//
// Invariants, after each edit: the tree's rules; lengths, spans and columns as in the arrays;
// each moved item is named, and its columns are.

@Suite struct WaterfallEditorTests {
  private struct Placed: Equatable {
    var length: Int64
    var columns: Range<Int>
    var start: Int64
  }

  private static func plan(ties: String) throws -> WaterfallPlan {
    let text = """
      {"kind":"waterfall","columns":5,"lineSpacing":3,"ties":"\(ties)","itemLength":"natural"}
      """
    guard case .waterfall(let plan) = try EditedItems.plan(text) else { throw NoWaterfall() }
    return plan
  }

  private struct NoWaterfall: Error {}

  private func items(
    _ count: Int, _ generator: inout SeededGenerator
  ) -> [MeasuredItem] {
    (0..<count).map { _ in
      MeasuredItem(
        length: Length(units: .random(in: 1...9, using: &generator) * 64),
        columnSpan: generator.oneIn(6) ? .random(in: 2...5, using: &generator) : 1)
    }
  }

  /// The items in the tree.
  private func placed(_ tree: SumTree<WaterfallLeaf>, _ plan: WaterfallPlan) throws -> [Placed] {
    var positions = [Int64](repeating: 0, count: plan.tracks.count)
    var placed: [Placed] = []
    try tree.forEachLeaf(in: TreeSession()) { leaf, _ in
      for index in 0..<leaf.count {
        let start = leaf.place(index, on: &positions)
        placed.append(
          Placed(
            length: leaf.advances[index] - plan.lineSpacing.units,
            columns: leaf.columnRange(at: index), start: start))
      }
    }
    return placed
  }

  /// The columns that items choose from the first on; given ones are kept.
  private func columns(
    of items: [MeasuredItem], given: [Int?], _ plan: WaterfallPlan
  ) throws -> [Int] {
    var placement = WaterfallPlacement(plan: plan)
    return try zip(items, given).map { item, column in
      guard let column else {
        return try placement.place(length: item.length, columnSpan: item.columnSpan)
      }
      try placement.advance(
        column: column, columnSpan: item.columnSpan, length: item.length)
      return column
    }
  }

  @Test(.property, arguments: PropertyRun.seeds, ["leading", "cursor"])
  func editsEqualPlacingFromTheFirstItem(seed: UInt64, ties: String) throws {
    let plan = try Self.plan(ties: ties)
    var generator = SeededGenerator(seed: seed)
    var list: [MeasuredItem] = []
    var tree = SumTree<WaterfallLeaf>(shape: TreeShapes.tiny.waterfall)
    for _ in PropertyRun.each(seed, steps: 60) {
      let origin: Comment = "\(ties)"
      let before = try placed(tree, plan)
      var given: [Int?] = before.map(\.columns.lowerBound)
      var numbers: [Int?] = Array(before.indices)
      var editor = WaterfallEditor(tree, plan: plan, in: TreeSession())
      var none: UndoRecord?
      let start = Int.random(in: 0...list.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where start < list.count:
        let end = Int.random(in: start...min(list.count, start + 5), using: &generator)
        try editor.delete(start..<end)
        list.removeSubrange(start..<end)
        given.removeSubrange(start..<end)
        numbers.removeSubrange(start..<end)
      case 1 where start < list.count:
        let changed = items(
          .random(in: 1...min(9, list.count - start), using: &generator), &generator)
        try editor.change(at: start, to: changed, restoring: &none)
        for (item, index) in zip(changed, start...) {
          if item.columnSpan != list[index].columnSpan { given[index] = nil }
          list[index] = item
        }
      default:
        let new = items(.random(in: 1...12, using: &generator), &generator)
        try editor.insert(new, at: start, restoring: &none)
        list.insert(contentsOf: new, at: start)
        given.insert(contentsOf: [Int?](repeating: nil, count: new.count), at: start)
        numbers.insert(contentsOf: [Int?](repeating: nil, count: new.count), at: start)
      }
      tree = editor.tree
      try tree.checkInvariants(in: TreeSession())
      let after = try placed(tree, plan)
      let expected = try columns(of: list, given: given, plan)
      try #require(after.map(\.columns.lowerBound) == expected, origin)
      #expect(after.map(\.length) == list.map(\.length.units), origin)
      #expect(after.map(\.columns.count) == list.map(\.columnSpan), origin)
      for (item, place) in after.enumerated() {
        let old = numbers[item].map { before[$0] }
        if old == place { continue }
        #expect(editor.change.items.contains(item), "\(origin): item \(item)")
        #expect(
          place.columns.allSatisfy { editor.change.columns.contains($0) }, "\(origin): \(place)")
      }
    }
  }
}
