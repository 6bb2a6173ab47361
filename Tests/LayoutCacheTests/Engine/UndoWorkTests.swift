import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: deletions and resizes of distant items are undone, with the state that the process
// remembers, and by another process after a checkpoint; of 2,000 and 20,000 items, or of 10,000
// and 100,000 if LAYOUTCACHE_STEPS is set. The work equals that of the undone commit,
// regardless of the feed's size except for the trees' depth.

@Suite struct UndoWorkTests {
  private static let counts =
    PropertyRun.steps(0) > 0 ? [10_000, 100_000] : [2000, 20_000]
  private static let layout = LayoutID("layout", of: "feed")
  /// The number of deleted items, and of resized ones.
  private static let changed = 10

  /// The costs of a change and of its undo.
  private struct Works {
    var change: LayoutWork
    var undo: LayoutWork
  }

  private func works(_ count: Int, remembered: Bool) throws -> Works {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    let cache = try LayoutCache(path: path)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for item in 0..<count {
        let height = Double(100 + item * 7919 % 400)
        try importer.add(Item(key: "s-\(item)", width: 400, height: height), section: "s")
      }
    }
    try cache.setLayout(
      Self.layout,
      to: ConfigurationText.decode(#"{"container":{"width":1000},"section":{"columns":5}}"#))
    try cache.prepare(Self.layout)
    let before = try cache.read(Self.layout) { try Self.sample(of: $0) }
    let places = (0..<Self.changed).map { $0 * count / Self.changed }
    let resizes = places.map {
      BatchOperation.resize(key: "s-\($0 + 90)", size: Size(width: 400, height: 711))
    }
    let change = try cache.update(
      "feed", with: [.delete(keys: places.map { "s-\($0 + 7)" })] + resizes)
    let undone: Commit
    if remembered {
      undone = try cache.undo("feed")
    } else {
      try cache.checkpoint()
      try cache.close()
      undone = try LayoutCache(path: path).undo("feed", preparing: .upToDate)
    }
    let other = try LayoutCache(path: path)
    #expect(try other.read(Self.layout) { try Self.sample(of: $0) } == before)
    return Works(
      change: try #require(change.layouts.first).context.work,
      undo: try #require(undone.layouts.first).context.work)
  }

  /// Elements at some places.
  private static func sample(of snapshot: LayoutSnapshot) throws -> [[LayoutAttributes]] {
    let length = snapshot.contentSize.height.units
    return try (0...4).map {
      let y = Length(units: length * Int64($0) / 5)
      return try snapshot.elements(in: Rect(x: 0, y: y, width: 1000, height: 1000)).elements
    }
  }

  @Test(arguments: [true, false])
  func undoCostsAsMuchAsTheCommit(remembered: Bool) throws {
    let works = try Self.counts.map { try self.works($0, remembered: remembered) }
    for work in works {
      #expect(work.undo.recomputedItems <= 2 * Self.changed, "\(works)")
      #expect(work.undo.changedNodes <= 2 * work.change.changedNodes, "\(works)")
    }
    #expect(works[1].undo.changedNodes <= 2 * works[0].undo.changedNodes, "\(works)")
  }
}
