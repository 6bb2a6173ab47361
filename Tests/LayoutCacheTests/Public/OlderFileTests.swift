import Foundation
import LayoutCache
import LayoutCacheTestSupport
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
    try FileManager.default.copyItem(atPath: Self.fixture(schema: 3), toPath: path)
  }

  private static func fixture(schema: Int, _ ending: String = "") -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/schema\(schema)\(ending).sqlite").path
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
    // What was at the places of the results before was given back.
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

  // 200 items in two sections, with a waterfall "p" and a flow "q"; 20 resizes are in the
  // trees, and 5 more in the log's tail. All nodes are whole.
  @Test func aFileOfSchema4OpensAndGoesOnWithDifferences() throws {
    let path = directory.path(of: "schema4.sqlite")
    try FileManager.default.copyItem(atPath: Self.fixture(schema: 4), toPath: path)
    let cache = try LayoutCache(path: path)
    #expect(try cache.dataset("feed").revision == 26)
    #expect(try cache.verify().problems.isEmpty)
    // Resized to 4 x 9 before the checkpoint, to 4 x 2 after it: columns 100 wide.
    for (key, height) in [("k14", 225.0), ("k12", 50), ("k13", 150)] {
      let found = try cache.read(LayoutID("p", of: "feed")) { try $0.attributes(forKey: key) }
      #expect(found?.frame.size.height == .points(height), "\(key)")
    }
    try cache.update(
      "feed", with: [.resize(key: "k150", size: Size(width: 4, height: 1))],
      preparing: .upToDate)
    try cache.close()
    let differences = try RawDatabase(path: path).number(
      "SELECT count(*) FROM nodes WHERE id >> 37 & 1")
    #expect(differences ?? 0 > 0)
    let reopened = try LayoutCache(path: path)
    #expect(try reopened.verify().problems.isEmpty)
    #expect(try reopened.dataset("feed").revision == 27)
  }

  // 60 items in two sections and a waterfall "p"; the log holds the import, a move without
  // a mark, and a resize, all of them in the trees.
  @Test func aFileOfSchema5TellsWhatHasChangedAndTakesWhatIsNew() throws {
    let path = directory.path(of: "schema5.sqlite")
    try FileManager.default.copyItem(atPath: Self.fixture(schema: 5, "-moves"), toPath: path)
    let cache = try LayoutCache(path: path)
    let changes = try cache.changes(of: "feed", since: 1, layout: "p")
    let (before, after) = (
      LayoutAttributes.IndexPath(section: 0, item: 3),
      LayoutAttributes.IndexPath(section: 1, item: 0)
    )
    // A move that is not marked as one may be a deletion and an insertion.
    #expect(
      changes.updates.items == [
        .init(operation: .move, key: "k3", before: before, after: after),
        .init(
          operation: .reload, key: "k5", before: nil,
          after: LayoutAttributes.IndexPath(section: 0, item: 4)),
        .init(operation: .reload, key: "k3", before: nil, after: after),
      ])
    #expect(try cache.dataset("feed").marks.isEmpty)
    let commit = try cache.update(
      "feed",
      with: [
        .move(key: "k3", to: .index(3, section: "a")), .mark(source: "orders", position: "1"),
      ],
      preparing: .upToDate, once: IdempotentRequest(key: "1", owner: "", bodyHash: [])
    ) { _ in [] }
    guard case .applied = commit else {
      Issue.record("\(commit)")
      return
    }
    #expect(try cache.changes(of: "feed", since: 3).updates.items.map(\.operation) == [.move])
    #expect(try cache.dataset("feed").marks.map(\.revision) == [4])
    #expect(try cache.verify().problems.isEmpty)
  }

  // 60 items in two sections, with a waterfall "p" and a flow "q"; a resize, a deletion, a move
  // and a mark are in the trees, and nothing trails behind them.
  @Test func aFileOfSchema8TakesBackWhatIsCommittedToItFromThenOn() throws {
    let path = directory.path(of: "schema8.sqlite")
    try FileManager.default.copyItem(atPath: Self.fixture(schema: 8, "-stored"), toPath: path)
    let cache = try LayoutCache(path: path)
    #expect(try cache.dataset("feed").revision == 3)
    #expect(try cache.verify().problems.isEmpty)
    #expect {
      try cache.undo("feed", preparing: .upToDate)
    } throws: { error in
      if case .cannotUndo(3, .isNotLogged, _)? = (error as? LayoutCacheError)?.code {
        true
      } else {
        false
      }
    }
    #expect(try cache.changes(of: "feed", since: 2).updates.items.map(\.key) == ["k20"])
    func frames() throws -> [[Rect]] {
      try ["p", "q"].map { layout in
        try cache.read(LayoutID(layout, of: "feed")) { snapshot in
          try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
            .elements.map(\.frame)
        }
      }
    }
    let before = try frames()
    try cache.update(
      "feed", with: [.delete(keys: ["k02", "k30"]), .move(key: "k40", to: .before("k01"))])
    try cache.checkpoint()
    #expect(try frames() != before)
    try cache.undo("feed")
    #expect(try frames() == before)
    #expect(try cache.dataset("feed").marks.map(\.position) == ["7"])
    #expect(try cache.verify().problems.isEmpty)
  }

  // 118 items in two sections, with a waterfall "p" and a flow "q", both at revision 3. A
  // dataset's row has four roots, and the log no data.
  @Test func aFileOfSchema5OpensWithoutDataAndTakesSome() throws {
    let path = directory.path(of: "schema5.sqlite")
    try FileManager.default.copyItem(atPath: Self.fixture(schema: 5), toPath: path)
    let cache = try LayoutCache(path: path)
    #expect(try cache.dataset("feed").revision == 3)
    #expect(try cache.verify().problems.isEmpty)
    let layout = LayoutID("p", of: "feed")
    let (frame, none, incarnation) = try cache.read(layout) { snapshot in
      (
        try snapshot.attributes(forKey: "a010")?.frame, try snapshot.data(forKey: "a010"),
        snapshot.incarnation
      )
    }
    #expect(frame == Rect(x: 112, y: 638, width: 104, height: 234))
    #expect(none == nil)
    let data = try ItemData(json: #"{"title":"a"}"#)
    try cache.update("feed", with: [.data(key: "a010", data)])
    try cache.close()
    let reopened = try LayoutCache(path: path)
    #expect(try reopened.verify().problems.isEmpty)
    let (found, same) = try reopened.read(layout) {
      (try $0.data(forKey: "a010"), $0.incarnation)
    }
    #expect(found == data)
    #expect(same == incarnation)
  }

  // 40 items in two sections, with a waterfall "p" and a flow "q" that have measured lengths,
  // headers and footers, and are a batch after: a length, a move, a resize and a moved
  // section.
  @Test func aFileOfSchema8KeepsItsLengthsAndTakesThoseOfHeadersAndAcross() throws {
    let path = directory.path(of: "schema8.sqlite")
    try FileManager.default.copyItem(atPath: Self.fixture(schema: 8), toPath: path)
    let (p, q) = (LayoutID("p", of: "feed"), LayoutID("q", of: "feed"))
    let cache = try LayoutCache(path: path)
    func frame(_ key: String, _ layout: LayoutID, in cache: LayoutCache) throws -> Rect? {
      try cache.read(layout) { try $0.attributes(forKey: key)?.frame }
    }
    #expect(try frame("k25", p, in: cache) == Rect(x: 0, y: 1265, width: 100, height: 55))
    #expect(try frame("k03", p, in: cache) == Rect(x: 100, y: 1365, width: 100, height: 44))
    #expect(try frame("k05", q, in: cache) == Rect(x: 54, y: 77, width: 4, height: 66))
    #expect(try cache.dataset("feed").marks.map(\.position) == ["7"])
    #expect(try cache.verify().problems.isEmpty)
    try cache.update(
      "feed",
      with: [
        .prefer(layout: "q", key: "k05", length: 66, crossLength: 14),
        .preferSupplementary(layout: "q", kind: .header, section: "a", length: 35),
      ])
    try cache.close()
    let reopened = try LayoutCache(path: path)
    #expect(try frame("k05", q, in: reopened) == Rect(x: 54, y: 82, width: 14, height: 66))
    #expect(try frame("k03", p, in: reopened) == Rect(x: 100, y: 1365, width: 100, height: 44))
    #expect(try reopened.verify().problems.isEmpty)
  }
}
