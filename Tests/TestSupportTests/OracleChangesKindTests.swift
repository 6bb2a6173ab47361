import TestSupport
import Testing

/// Changes of sections laid out in lines and on circles; every expectation is computed by hand.
@Suite struct OracleChangesKindTests {
  private func feed(_ members: String, _ items: [OracleItem]) throws -> OracleFeed {
    try OracleFeed(
      configuration: """
        {"container":{"width":250,"height":100},"section":{"kind":"grid","rowLength":7},
        "sections":{"s":{\(members)}}}
        """, sections: [section("s", items), section("grid", [])])
  }

  private let lines = #""kind":"flow","lineAlignment":"leading","crossAlignment":"top""#
  private let two = [item("a", 10), item("b", 20)]

  @Test func flowLinesAreBrokenAgainAfterEveryBatch() throws {
    var feed = try feed(lines, two)
    #expect(feed.tops == [0, 0])
    try feed.apply([.insert(items: [item("x", 5)], at: .before("b"))])
    #expect(feed.keys == ["a", "x", "b"] && feed.tops == [0, 0, 10])
    try feed.apply([.resize(key: "a", width: 250, height: 30)])
    #expect(feed.tops == [0, 30, 30])
    try feed.apply([.delete(keys: ["a"])])
    #expect(feed.tops == [0, 0])
  }

  @Test func flowTakesPreferredLengths() throws {
    var feed = try feed(lines, two + [item("c", 30)])
    try feed.apply([.prefer(key: "a", length: 50 * 64)])
    #expect(feed.heights == [50, 20, 30] && feed.tops == [0, 0, 50])
    try feed.apply([
      .resize(key: "a", width: 90, height: 12), .prefer(key: "a", length: 50 * 64),
      .move(key: "a", to: .after("c")),
    ])
    #expect(feed.heights == [20, 30, 50] && feed.tops == [0, 0, 30])
    try feed.apply([.prefer(key: "a", length: nil)])
    #expect(feed.heights == [20, 30, 12])
  }

  @Test(arguments: [
    #""kind":"flow","itemSize":{"width":9,"height":8}"#,
    #""kind":"justified","targetRowLength":8"#,
    #""kind":"circle","itemSize":{"width":9,"height":8}"#,
  ])
  func preferredLengthIsKeptForOtherKinds(members: String) throws {
    let waterfall =
      #"{"container":{"width":100},"section":{"kind":"waterfall","itemLength":7}}"#
    let other = #"{"container":{"width":100},"section":{\#(members)}}"#
    var feed = try OracleFeed(configuration: other, sections: [section("s", two)])
    let before = feed.oracle.allElements()
    try feed.replace(configuration: waterfall)
    try feed.apply([.prefer(key: "a", length: 5 * 64)])
    try feed.replace(configuration: other)
    #expect(feed.oracle.allElements() == before)
    #expect(feed.sections[0].items.map(\.preferredLength) == [320, nil])
    try feed.replace(configuration: waterfall)
    #expect(feed.heights == [5, 7])
  }

  @Test func justifiedRowsAreFormedAgainAfterAChange() throws {
    // H(2) = 250 / 2 with squares.
    let members = #""kind":"justified","targetRowLength":125"#
    var feed = try feed(members, [item("a", 100), item("b", 100)])
    #expect(feed.heights == [125, 125])
    try feed.apply([.insert(items: [item("x", 50)], at: .after("a"))])
    // Ratios of 1 and 2: 83.3 is nearer than 250; the square begins the last row.
    #expect(feed.keys == ["a", "x", "b"])
    #expect(feed.oracle.cells.map(\.height) == [5333, 5333, 8000])
  }

  @Test func circleTurnsAsItsItemsCountGrows() throws {
    var feed = try feed(
      #""kind":"circle","itemSize":{"width":10,"height":10}"#, [item("a", 1), item("b", 1)])
    #expect(feed.tops == [45, 45])
    try feed.apply([
      .insert(items: [item("x", 1), item("y", 1)], at: .end(section: "s"))
    ])
    #expect(feed.tops == [45, 90, 45, 0])
    try feed.apply([.delete(keys: ["a", "b", "x", "y"])])
    #expect(feed.oracle.contentSize.height == 0)
  }

  @Test(arguments: [
    #""kind":"flow""#, #""kind":"justified","targetRowLength":80"#,
    #""kind":"circle","itemSize":{"width":9,"height":8}"#,
  ])
  func itemsOfKindsWithoutColumnsHaveNoColumn(members: String) throws {
    var feed = try OracleFeed(
      configuration: """
        {"container":{"width":250},"section":{"kind":"waterfall","columns":2},
        "sections":{"s":{\(members)}}}
        """, sections: [section("s", two), section("t", [item("c", 5), item("d", 5)])])
    try feed.apply([
      .move(key: "c", to: .end(section: "s")), .move(key: "a", to: .end(section: "t")),
      .invalidate(sections: ["s"]), .rebalance(section: "s", from: "b"), .rebalance(),
    ])
    #expect(feed.keys == ["b", "c", "d", "a"])
    #expect(feed.columns == [nil, nil, 0, 1])
    #expect(feed.sections.map { $0.items.map(\.storedColumn) } == [[nil, nil], [0, 1]])
    #expect(feed.sections.allSatisfy { $0.settledSkew == 0 })
  }
}
