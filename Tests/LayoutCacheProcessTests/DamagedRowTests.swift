import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

/// Rows with valid checksums and wrong numbers.
@Suite struct DamagedRowTests {
  private let directory: TemporaryDirectory
  private let fixture = HostileFixture.all[0]
  // A layout that is the same when laid out from scratch.
  private let layout = LayoutID("exact", of: "feed")

  init() throws {
    directory = try TemporaryDirectory()
    try fixture.make(at: path)
  }

  private var path: String { directory.path(of: "feed.sqlite") }

  /// Sets a number of the first row of a table.
  private func set(_ table: String, _ column: String, to number: Int64) throws {
    let file = try HostileFile(path: path)
    let table = try #require(HostileTable.all.first { $0.name == table })
    let index = try #require(table.columns.firstIndex(of: column))
    for row in try file.values(of: table) where row[index] != .null {
      var new = row
      new[index] = .number(number)
      try file.replace(row, with: new, in: table)
      if table.name == "datasets" { break }
    }
  }

  private func isCorrupt(_ error: any Error) -> Bool {
    (error as? LayoutCacheError)?.category == .corrupt
  }

  private func frames(_ cache: LayoutCache) throws -> [Rect] {
    try cache.read(layout) { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
        .map(\.frame)
    }
  }

  @Test func aReusedNodeNumberOfADatasetIsReportedAsDamage() throws {
    try set("datasets", "next_node", to: 3)
    let cache = try fixture.open(path)
    try cache.update("feed", with: [.delete(keys: ["k1"])])
    let before = try cache.datasets()
    #expect(performing: { try cache.checkpoint() }, throws: isCorrupt)
    #expect(try cache.datasets() == before)
  }

  @Test func aReusedNodeNumberOfALayoutDiscardsItsResult() throws {
    try set("layouts", "next_node", to: 1)
    let cache = try fixture.open(path)
    _ = try frames(cache)
    try cache.update("feed", with: [.delete(keys: ["k1"])])
    let expected = try frames(cache)
    try cache.checkpoint()
    #expect(try frames(cache) == expected)
    // Layouts that are laid out again share no nodes.
    for name in fixture.layouts.keys { try cache.prepare(LayoutID(name, of: "feed")) }
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func aReusedSpaceIsReportedAsDamage() throws {
    let file = try HostileFile(path: path)
    try file.execute("UPDATE database SET next_space = 1")
    let cache = try fixture.open(path)
    #expect(
      performing: {
        try cache.update("feed", with: [.invalidate(layout: "exact", everything: true)])
        try cache.read(layout) { _ in }
      }, throws: isCorrupt)
    #expect(try cache.datasets().count == 1)
  }

  @Test(arguments: [Int64.max, Int64.max - 1, 1 << 53 + 1, -1, .min])
  func anImpossibleRevisionIsReportedAsDamage(revision: Int64) throws {
    try set("datasets", "revision", to: revision)
    let cache = try fixture.open(path)
    #expect(performing: { try cache.update("feed", with: []) }, throws: isCorrupt)
    #expect(performing: { try cache.read(layout) { _ in } }, throws: isCorrupt)
  }

  @Test func theSpaceOfADatasetIsNotDeletedWithALayout() throws {
    let file = try HostileFile(path: path)
    let space = try #require(try file.rows("SELECT space FROM datasets")[0][0].number)
    let cache = try fixture.open(path)
    var items: [String] = []
    try cache.forEachItem(of: "feed") { items.append($1.key) }
    for name in ["stable", "wide"] { try cache.removeLayout(LayoutID(name, of: "feed")) }
    try cache.close()
    try set("layouts", "space", to: space)
    let second = try fixture.open(path)
    _ = try frames(second)
    var found: [String] = []
    try second.forEachItem(of: "feed") { found.append($1.key) }
    #expect(found == items)
  }
}
