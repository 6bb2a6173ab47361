import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct LookupTests {
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
