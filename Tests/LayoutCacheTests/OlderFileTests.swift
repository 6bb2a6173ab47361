import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

// A file that schema 3 has made: dataset "feed" with a stable waterfall "p" and a flow "q",
// both prepared at revision 7; in the log's tail stands a batch that lays p out from
// scratch, which made every query of q trap. Dataset "other" has no layout.
@Suite struct OlderFileTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path(of: "feeds.sqlite")
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/schema3.sqlite")
    try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
  }

  @Test func aFileOfSchema3OpensWithAllThatItHolds() throws {
    let cache = try LayoutCache(path: path)
    let datasets = try cache.datasets()
    #expect(datasets.map(\.name) == ["feed", "other"])
    #expect(datasets.map(\.revision) == [8, 2])
    #expect(datasets.map(\.itemCount) == [58, 60])
    #expect(Set(datasets.map(\.incarnation)).count == 2)
    #expect(try cache.verify().problems.isEmpty)
    for name in ["p", "q"] {
      let layout = LayoutID(name, of: "feed")
      let cells = try cache.read(layout) { snapshot in
        try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
      }
      #expect(cells.count == 58)
    }
    // A length that was measured is no result, and stays.
    let measured = try cache.read(LayoutID("p", of: "feed")) { try $0.attributes(forKey: "k08") }
    #expect(measured?.frame.size.height == 77)
    try cache.update("feed", with: [.delete(keys: ["k00"])], preparing: .upToDate)
    #expect(try cache.dataset("feed").revision == 9)
    #expect(try cache.verify().problems.isEmpty)
    // What stood at the places of the results before was given back.
    let spaces = try RawDatabase(path: path).number("SELECT count(DISTINCT id >> 38) FROM nodes")
    #expect(spaces == 4)
  }

  @Test func damageOfARowIsNotBlessedByTheMigration() throws {
    try RawDatabase(path: path).execute(
      "UPDATE datasets SET item_count = 59 WHERE name = 'feed'; UPDATE log SET operations = 7")
    let cache = try LayoutCache(path: path)
    #expect { try cache.dataset("feed") } throws: {
      ($0 as? LayoutCacheError)?.category == .corrupt
    }
    #expect(try cache.dataset("other").itemCount == 60)
  }

  @Test func compactingWritesTheFileAnewOnce() throws {
    let cache = try LayoutCache(path: path)
    var rewrites = 0
    try cache.compact { rewrites += 1 }
    try cache.removeDataset("other")
    try cache.compact { rewrites += 1 }
    #expect(rewrites == 1)
    #expect(try cache.verify().problems.isEmpty)
  }
}
