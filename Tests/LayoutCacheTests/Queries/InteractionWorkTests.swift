import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: client interactions between two queries, on a feed of 10,000 items and a larger
// one, of a million if LAYOUTCACHE_STEPS is set, counted in nodes. Their cost must not depend
// on the size except for the trees' depth.

@Suite struct InteractionWorkTests {
  private static let counts = [10_000, PropertyRun.steps(0) > 0 ? 1_000_000 : 100_000]

  private func feed(_ count: Int) throws -> LayoutCache {
    let cache = try LayoutCache.temporary()
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for item in 0..<count {
        let height = Double(100 + item * 7919 % 400)
        try importer.add(Item(key: "s-\(item)", width: 400, height: height), section: "s")
      }
    }
    try cache.setLayout(
      LayoutID("layout", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":1000},"section":{"columns":5},"snap":"itemCenter"}"#))
    return cache
  }

  /// Nodes read by each, at most by an update of a movement, and created by that.
  private struct Works: CustomStringConvertible {
    var transition = 0
    var offset = 0
    var anchor = 0
    var movement = 0
    var changedNodes = 0

    var description: String {
      """
      transition \(transition), offset \(offset), anchor \(anchor), movement \(movement), \
      changed \(changedNodes)
      """
    }
  }

  private func works(_ count: Int) throws -> Works {
    let cache = try feed(count)
    let layout = LayoutID("layout", of: "feed")
    var works = Works()
    let before = try cache.read(layout) { $0 }
    let middle = before.contentSize.height.half
    let rect = Rect(x: 0, y: middle, width: 1000, height: 1000)
    var work = QueryWork(nodesVisited: 0, nodesLoaded: 0)
    _ = try before.targetContentOffset(
      forProposed: rect.origin, velocity: .zero, visibleSize: rect.size, work: &work)
    works.offset = work.nodesVisited
    work = QueryWork(nodesVisited: 0, nodesLoaded: 0)
    var cells = 0
    try before.forEachAnchorCell(in: rect, work: &work) { _ in
      cells += 1
      return cells < 48
    }
    works.anchor = work.nodesVisited
    var movement = try before.beginMovement(of: ["s-\(count / 2)"])
    // Some targets are accepted, others tried and rejected, which costs most.
    var targets: Set<IndexPath> = []
    for step in 0..<40 {
      let begun = movement.work.nodesVisited
      let point = Point(
        x: .points(Double(step % 5 * 200 + 100)), y: middle + .points(Double(step * 25)))
      let context = try movement.update(to: point)
      targets.insert(movement.targetIndexPath)
      works.movement = max(works.movement, movement.work.nodesVisited - begun)
      works.changedNodes = max(works.changedNodes, context.work.changedNodes)
    }
    #expect(targets.count > 3)
    // A point far away is near the content's end.
    let far = movement.work.nodesVisited
    try movement.update(to: Point(x: 500, y: Length(units: 1 << 52)))
    #expect(movement.targetIndexPath.item.map { $0 > count - 10 } == true)
    #expect(movement.work.nodesVisited - far <= 400)
    let page = try (0..<10).map { try Item(key: "new-\($0)", width: 400, height: 300) }
    try cache.update("feed", with: [.insert(page, at: .before("s-\(count / 2)"))])
    let transition = try cache.read(layout) { try before.transition(to: $0, in: rect) }
    #expect(transition.moving.count > 10)
    works.transition = transition.work.nodesVisited
    return works
  }

  @Test func interactionsCostAsMuchAsQueries() throws {
    let works = try Self.counts.map { try self.works($0) }
    for (work, count) in zip(works, Self.counts) {
      #expect(work.offset <= 60, "\(count): \(work)")
      #expect(work.anchor <= 500, "\(count): \(work)")
      #expect(work.movement <= 600, "\(count): \(work)")
      #expect(work.changedNodes <= 16, "\(count): \(work)")
      #expect(work.transition <= 400, "\(count): \(work)")
    }
    // Ten or a hundred times as many items: each look-up reads one or two more nodes.
    #expect(works[1].transition <= 2 * works[0].transition, "\(works)")
    #expect(works[1].movement <= 2 * works[0].movement, "\(works)")
  }
}
