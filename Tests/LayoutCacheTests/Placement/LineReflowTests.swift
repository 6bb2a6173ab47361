import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random items of few sizes in trees of tiny nodes, edited at random positions,
// several at a time; the lines are broken again around the edits, and all of them by a breaker
// that starts at the first item.
//
// Invariants: the tree's lines are exactly those from scratch; every item with another position
// or index is named; everything that moved is in the interval.

@Suite struct LineReflowTests {
  @Test(
    .property,
    arguments: PropertyRun.seeds,
    [
      #"{"kind":"flow","minimumInteritemSpacing":7,"minimumLineSpacing":3}"#,
      #"{"kind":"flow","itemSize":{"width":90,"height":50},"lineAlignment":"trailing"}"#,
      #"{"kind":"flow","lineLength":60,"minimumLineSpacing":5,"lineAlignment":"center"}"#,
      #"{"kind":"justified","targetRowLength":120,"spacing":4}"#,
      #"{"kind":"justified","targetRowLength":300,"lastRow":"fill"}"#,
      #"{"kind":"justified","targetRowLength":120,"spacing":4,"lastRow":"match"}"#,
      #"{"kind":"justified","targetRowLength":40,"lastRow":"match"}"#,
    ])
  func linesEqualThoseFromScratch(seed: UInt64, section: String) throws {
    guard case .lines(let plan) = try EditedItems.plan(section) else {
      Issue.record("no plan of lines")
      return
    }
    var generator = SeededGenerator(seed: seed)
    let session = TreeSession()
    var list = EditedItems(count: Int.random(in: 0...200, using: &generator), using: &generator)
    var kept = KeptLines(tree: try tree(of: lines(of: list, plan), plan))
    var places = try places(of: list, plan)
    for _ in PropertyRun.each(seed, steps: 40) {
      let hunks = list.edit(using: &generator)
      let change = try plan.follow(hunks, &kept, list.sectionItems(in: session))
      try kept.tree.checkInvariants(in: session)
      let (found, expected) = (try lines(in: kept.tree, plan), try lines(of: list, plan))
      try #require(found == expected)
      let new = try self.places(of: list, plan)
      #expect(change.unnamed(places, new) == [])
      places = new
    }
  }

  @Test func anEditBreaksFewLinesAgain() throws {
    guard case .lines(let plan) = try EditedItems.plan(#"{"kind":"flow"}"#) else {
      Issue.record("no plan of lines")
      return
    }
    var generator = SeededGenerator(seed: 11)
    let session = TreeSession()
    let list = EditedItems(count: 5000, using: &generator)
    var kept = KeptLines(tree: try tree(of: lines(of: list, plan), plan))
    // The same item.
    var hunks = ItemHunks(count: 5000)
    hunks.replace(2500..<2501, withCount: 1)
    let change = try plan.follow(hunks, &kept, list.sectionItems(in: session))
    #expect(change.recomputedItems < 60)
    #expect(!change.hasNewContent && session.edits.createdNodes == 0)
    let (found, expected) = (try lines(in: kept.tree, plan), try lines(of: list, plan))
    #expect(found == expected)
  }

  private func sizes(of list: EditedItems, _ plan: LinePlan) -> [Size] {
    list.items.map { plan.size(of: LayoutItem(size: $0.item.size)) }
  }

  private func lines(of list: EditedItems, _ plan: LinePlan) throws -> [Line] {
    var lines: [Line] = []
    var breaker = LineBreaker(plan: plan)
    for size in sizes(of: list, plan) { try breaker.take(size) { lines.append($0) } }
    if let last = try breaker.last() { lines.append(last) }
    return lines
  }

  private func tree(of lines: [Line], _ plan: LinePlan) throws -> SumTree<LineLeaf> {
    var builder = TreeBuilder<LineLeaf>(shape: TreeShape(leafCapacity: 4, fanOut: 4))
    for line in lines {
      var run = LineLeaf()
      run.append(line, spacing: plan.lineSpacing)
      try builder.append(run)
    }
    return try builder.finish()
  }

  private func lines(in tree: SumTree<LineLeaf>, _ plan: LinePlan) throws -> [Line] {
    var lines: [Line] = []
    try tree.forEachLeaf(in: TreeSession()) { leaf, _ in
      lines += (0..<leaf.count).map { leaf.line(at: $0, spacing: plan.lineSpacing) }
    }
    return lines
  }

  private func places(
    of list: EditedItems, _ plan: LinePlan
  ) throws -> [Int: (index: Int, frame: Rect)] {
    let (lines, sizes) = (try lines(of: list, plan), sizes(of: list, plan))
    var places: [Int: (index: Int, frame: Rect)] = [:]
    var (item, start) = (0, Length.zero)
    for (number, line) in lines.enumerated() {
      let frames = plan.frames(
        of: Array(sizes[item..<(item + line.count)]), length: line.length,
        isLast: number == lines.count - 1)
      for var frame in frames {
        frame.origin.y += start
        places[list.items[item].number] = (item, frame)
        item += 1
      }
      start += line.length + plan.lineSpacing
    }
    return places
  }
}
