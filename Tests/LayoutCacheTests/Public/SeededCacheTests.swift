import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

/// The contents of a file follow from the clock, the random numbers and the calls.
@Suite struct SeededCacheTests {
  /// The rows of all tables after some calls, by table, without what identifies the file's place.
  private static func contents(seed: UInt64) throws -> [String: [[RawDatabase.Value]]] {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    let cache = try LayoutCache(
      path: path, clock: TestClock(milliseconds: 1_700_000_000_000).clock, random: .seeded(seed))
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for item in OracleSection("s", sizes: [(10, 20), (30, 40), (50, 60)]).items {
        try importer.add(Item(item), section: "s")
      }
    }
    let layout = LayoutID("phone", of: "feed")
    let text = KindExample.flow.configuration()
    _ = try cache.setLayout(layout, to: ConfigurationText.decode(text))
    _ = try cache.update("feed", with: [.resize(key: "s-1", size: Size(width: 7, height: 8))])
    _ = try cache.prepare(layout)
    try cache.close()
    let raw = try RawDatabase(path: path)
    let names = try raw.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .compactMap { $0[0].text }
    var rows = try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try raw.rows("SELECT * FROM \($0)")) })
    rows["database"] = try raw.rows("SELECT hash_key, identity, next_space FROM database")
    rows["number"] = try raw.rows("PRAGMA user_version")
    return rows
  }

  @Test func equalRandomNumbersGiveEqualFiles() throws {
    let contents = try Self.contents(seed: 1)
    #expect(contents.count > 10 && contents["log"]?.isEmpty == false)
    #expect(try Self.contents(seed: 1) == contents)
    let other = try Self.contents(seed: 2)
    for table in ["database", "datasets", "layouts", "number"] {
      #expect(other[table] != contents[table], "\(table) has the system's random numbers")
    }
  }
}
