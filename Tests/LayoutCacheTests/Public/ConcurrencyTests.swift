import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: one task replaces a dataset repeatedly while others query it, through the same
// cache and through a separate one, as another process would. Each revision has another length,
// which identifies the revision of an answer.

@Suite struct ConcurrencyTests {
  private static let itemCount = 400

  /// Items whose length is the revision number.
  private func replace(_ cache: LayoutCache, revision: Int) throws {
    _ = try cache.importItems(into: "feed", mode: .replace) { importer in
      for number in 0..<Self.itemCount {
        try importer.add(
          Item(key: "k\(number)", width: 1, height: Double(revision)), section: "s")
      }
    }
  }

  private func answersOneRevision(_ cache: LayoutCache, from start: Int) throws -> Int {
    try cache.read(LayoutID("layout", of: "feed")) { snapshot in
      let length = Double(snapshot.revision)
      #expect(snapshot.contentSize.height.points == length * Double(Self.itemCount))
      let everything = Rect(origin: .zero, size: snapshot.contentSize)
      let page = try snapshot.elements(in: everything)
      #expect(page.elements.count == Self.itemCount)
      #expect(page.elements.allSatisfy { $0.frame.size.height.points == length })
      let one = try snapshot.attributes(forKey: "k\(Self.itemCount / 2)")
      #expect(one?.frame.minY.points == length * Double(Self.itemCount / 2))
      #expect(snapshot.revision >= start)
      return snapshot.revision
    }
  }

  @Test func readersSeeOneRevisionOrAnotherAndNeverHalf() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    let cache = try LayoutCache(path: path)
    try replace(cache, revision: 1)
    try cache.setLayout(
      LayoutID("layout", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":1},"section":{"columns":1,"itemLength":"natural"}}"#))
    let revisions = 25
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for revision in 2...revisions { try replace(cache, revision: revision) }
      }
      for reader in 0..<3 {
        group.addTask {
          let own = reader == 0 ? cache : try LayoutCache(path: path)
          var seen = 1
          while seen < revisions { seen = try answersOneRevision(own, from: seen) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try cache.verify().problems.isEmpty)
  }
}
