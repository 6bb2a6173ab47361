import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

/// Items and sections by their keys, without a layout.
@Suite struct LookupTests {
  private static let sections = [
    OracleSection("first", sizes: [(1, 2), (3, 4)]), OracleSection("empty", sizes: []),
    OracleSection("last", sizes: [(5, 6), (7, 8), (9, 10)]),
  ]

  @Test func itemsAreFoundByTheirIndexPaths() throws {
    let feed = try TestFeed(Self.sections)
    func path(_ section: Int, _ item: Int? = nil) -> LayoutAttributes.IndexPath {
      LayoutAttributes.IndexPath(section: section, item: item)
    }
    for (index, section) in Self.sections.enumerated() {
      for (number, item) in section.items.enumerated() {
        #expect(try feed.cache.hasItem(forKey: item.key, of: "feed"))
        let found = try feed.cache.item(at: path(index, number), of: "feed")
        #expect(try found == feed.cache.item(forKey: item.key, of: "feed"))
      }
    }
    #expect(try !feed.cache.hasItem(forKey: "nowhere", of: "feed"))
    for path in [path(0, 2), path(1, 0), path(2), path(2, -1), path(3, 0), path(-1, 0)] {
      #expect(try feed.cache.item(at: path, of: "feed") == nil, "\(path)")
    }
    let all = Self.sections.flatMap(\.items).map(\.key)
    let places: [(path: LayoutAttributes.IndexPath, before: Int)] = [
      (path(-1, 5), 0), (path(0), 0), (path(0, 1), 1), (path(0, 9), 2), (path(1), 2),
      (path(1, 3), 2), (path(2, 1), 3), (path(2, 3), 5), (path(3), 5), (path(99, 1), 5),
    ]
    for (first, start) in places.enumerated() {
      for end in places[first...] {
        let keys = try feed.cache.keys(in: start.path..<end.path, of: "feed")
        #expect(keys == Array(all[start.before..<end.before]), "\(start) \(end)")
      }
    }
  }

  /// A section is found by its key as quickly among many as among few.
  @Test(arguments: [(100, 4), (10_000, 8), (100_000, 10)])
  func findingASectionsIndexDoesNotScan(count: Int, nodes: Int) throws {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(path: directory.path(of: "feed.sqlite"))
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for section in 0..<count { try importer.addSection("s\(section)") }
    }
    try cache.store.read { reader in
      let trees = try cache.current("feed", reader: reader).trees
      for index in [0, count / 2, count - 1] {
        let session = TreeSession(reader)
        #expect(try trees.sectionIndex(ofKey: "s\(index)", in: session) == index)
        #expect(session.nodesVisited <= nodes, "\(session.nodesVisited)")
      }
    }
    #expect(try cache.section(forKey: "s\(count / 3)", of: "feed")?.index == count / 3)
  }
}
