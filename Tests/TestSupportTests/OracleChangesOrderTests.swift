import TestSupport
import Testing

@Suite struct OracleChangesOrderTests {
  private func feed() throws -> OracleFeed {
    try OracleFeed([
      section("s", [item("a", 10), item("b", 10), item("c", 10)]),
      section("t", [item("d", 10)]), section("u", []),
    ])
  }

  private var sectionKeys: (OracleFeed) -> [String] { { $0.sections.map(\.key) } }

  private static let insertions: [(OracleDestination, [String])] = [
    (.end(section: "s"), ["a", "b", "c", "x", "y", "d"]),
    (.index(0, section: "s"), ["x", "y", "a", "b", "c", "d"]),
    (.index(3, section: "s"), ["a", "b", "c", "x", "y", "d"]),
    (.index(0, section: "t"), ["a", "b", "c", "x", "y", "d"]),
    (.before("b"), ["a", "x", "y", "b", "c", "d"]),
    (.after("b"), ["a", "b", "x", "y", "c", "d"]),
    (.end(section: "u"), ["a", "b", "c", "d", "x", "y"]),
  ]

  @Test(arguments: insertions)
  func insertKeepsTheOrderOfItsItems(at: OracleDestination, expected: [String]) throws {
    var feed = try feed()
    try feed.apply([.insert(items: [item("x", 1), item("y", 1)], at: at)])
    #expect(feed.keys == expected)
  }

  private static let moves: [(String, OracleDestination, [String])] = [
    ("a", .index(2, section: "s"), ["b", "c", "a", "d"]),
    ("a", .index(1, section: "s"), ["b", "a", "c", "d"]),
    ("c", .index(0, section: "s"), ["c", "a", "b", "d"]),
    ("a", .end(section: "s"), ["b", "c", "a", "d"]),
    ("a", .before("c"), ["b", "a", "c", "d"]),
    ("c", .after("a"), ["a", "c", "b", "d"]),
    ("a", .after("d"), ["b", "c", "d", "a"]),
    ("d", .index(3, section: "s"), ["a", "b", "c", "d"]),
    ("d", .end(section: "u"), ["a", "b", "c", "d"]),
  ]

  @Test(arguments: moves)
  func moveCountsWithoutTheMovedItem(
    key: String, to: OracleDestination, expected: [String]
  ) throws {
    var feed = try feed()
    try feed.apply([.move(key: key, to: to)])
    #expect(feed.keys == expected)
  }

  @Test func moveAcrossSectionsChangesTheSection() throws {
    var feed = try feed()
    try feed.apply([.move(key: "d", to: .end(section: "u"))])
    #expect(feed.sections.map(\.items.count) == [3, 0, 1])
  }

  @Test(arguments: [
    (nil, ["s", "t", "u", "x"]), (3, ["s", "t", "u", "x"]), (1, ["s", "x", "t", "u"]),
  ])
  func insertedSectionIsEmpty(index: Int?, expected: [String]) throws {
    var feed = try feed()
    try feed.apply([.insertSection(key: "x", index: index)])
    #expect(sectionKeys(feed) == expected)
    #expect(feed.keys == ["a", "b", "c", "d"])
  }

  @Test(arguments: [(0, ["s", "t", "u"]), (1, ["t", "s", "u"]), (2, ["t", "u", "s"])])
  func moveSectionCountsWithoutTheSection(index: Int, expected: [String]) throws {
    var feed = try feed()
    try feed.apply([.moveSection(key: "s", index: index)])
    #expect(sectionKeys(feed) == expected)
    #expect(Set(feed.keys) == ["a", "b", "c", "d"])
  }

  @Test func deletingASectionDeletesItsItems() throws {
    var feed = try feed()
    try feed.apply([.deleteSection(key: "s"), .insert(items: [item("a", 1)], at: .before("d"))])
    #expect(sectionKeys(feed) == ["t", "u"])
    #expect(feed.keys == ["a", "d"])
  }

  @Test func everythingCanBeDeletedAndInsertedAgain() throws {
    var feed = try feed()
    try feed.apply([.delete(keys: ["c", "d", "a", "b"])])
    #expect(feed.keys.isEmpty && feed.oracle.contentSize.height == 0)
    try feed.apply([.insert(items: [item("a", 7)], at: .end(section: "s"))])
    #expect(feed.keys == ["a"] && feed.tops == [0])
  }

  @Test func keysDifferByTheirBytes() throws {
    var feed = try OracleFeed([section("\u{E9}", [item("\u{E9}", 10)])])
    try feed.apply([
      .insert(items: [item("e\u{301}", 20)], at: .before("\u{E9}")),
      .insertSection(key: "e\u{301}", index: 0),
      .move(key: "\u{E9}", to: .end(section: "e\u{301}")),
    ])
    #expect(feed.heights == [10, 20])
    #expect(feed.sections.map(\.key.utf8.count) == [3, 2])
  }
}
