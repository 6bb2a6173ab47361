import TestSupport
import Testing

/// Explicit and automatic rebalancing of stable waterfalls; every expectation is
/// computed by hand.
@Suite struct OracleChangesRebalanceTests {
  /// Eight items of 10, alternately in columns 0 and 1; limit 20.
  private func feed(_ members: String = #""maximumSkew":10"#) throws -> OracleFeed {
    try OracleFeed(members: members, [section(items(heights: Array(repeating: 10, count: 8)))])
  }

  /// Column 0 is 110 long and column 1 holds i1 and i3; nothing is too skewed.
  private func lopsided() throws -> OracleFeed {
    var feed = try OracleFeed(
      members: #""maximumSkew":10"#,
      [section(items(heights: [10, 10, 10, 10])), section("t", four("t"))])
    try feed.apply([
      .resize(key: "i0", width: 100, height: 100), .resize(key: "t0", width: 100, height: 100),
    ])
    return feed
  }

  private func four(_ prefix: String) -> [OracleItem] {
    (0..<4).map { item("\(prefix)\($0)", 10) }
  }

  private func columns(_ feed: OracleFeed) -> [[Int?]] {
    feed.sections.map { $0.items.map(\.storedColumn) }
  }

  private static let explicit: [(OracleOperation, [Int?], [Int?])] = [
    (.rebalance(section: "s"), [0, 1, 1, 1], [0, 1, 0, 1]),
    (.rebalance(section: "s", from: "i3"), [0, 1, 0, 1], [0, 1, 0, 1]),
    (.rebalance(section: "t", from: "t2"), [0, 1, 0, 1], [0, 1, 1, 1]),
    (.rebalance(from: "t2"), [0, 1, 0, 1], [0, 1, 1, 1]),
    (.rebalance(), [0, 1, 1, 1], [0, 1, 1, 1]),
    (.invalidate(sections: ["t"]), [0, 1, 0, 1], [0, 1, 1, 1]),
    (.invalidate(items: ["i2", "t2"]), [0, 1, 0, 1], [0, 1, 0, 1]),
    (.invalidate(everything: true), [0, 1, 1, 1], [0, 1, 1, 1]),
    (.invalidate(), [0, 1, 0, 1], [0, 1, 0, 1]),
  ]

  @Test(arguments: explicit)
  func rebalancePlacesAgainFromTheNamedItem(
    operation: OracleOperation, first: [Int?], second: [Int?]
  ) throws {
    var feed = try lopsided()
    #expect(columns(feed) == [[0, 1, 0, 1], [0, 1, 0, 1]])
    try feed.apply([operation])
    #expect(columns(feed) == [first, second])
  }

  @Test func skewAtTheLimitDoesNotRebalance() throws {
    var feed = try feed()
    try feed.apply([.delete(keys: ["i1", "i3"])])
    // 40 and 20; the limit is 10, the longest item, and 10 more.
    #expect(feed.columns == [0, 0, 0, 1, 0, 1])
  }

  @Test func excessSkewIsCorrectedAtTheFirstSkewedItem() throws {
    var feed = try feed()
    try feed.apply([.delete(keys: ["i1", "i3", "i5"])])
    // 40 and 10. After i4 the columns differ by 30 for the first time; it goes to column 1, and
    // those after it keep their columns.
    #expect(feed.keys == ["i0", "i2", "i4", "i6", "i7"])
    #expect(feed.columns == [0, 0, 1, 0, 1])
    #expect(feed.tops == [0, 10, 0, 20, 10])
    #expect(feed.sections[0].settledSkew == 0)
    #expect(feed.sections[0].rebalance == nil)
  }

  @Test func anInstalmentBeginsWhereColumnsDifferTooMuch() throws {
    var feed = try feed()
    feed.instalment = 1
    try feed.apply([.resize(key: "i0", width: 100, height: 50)])
    // 80 and 40, with a limit of 60.
    #expect(feed.sections[0].rebalance == nil)
    try feed.apply([.resize(key: "i2", width: 100, height: 60)])
    // 130 and 40, with a limit of 70. After i2 the columns first differ too much.
    #expect(feed.columns == [0, 1, 1, 1, 0, 1, 0, 1])
    // 70 and 100: even.
    #expect(feed.sections[0].rebalance == nil)
  }

  @Test func rebalancesRunInSectionOrder() throws {
    let members = #""maximumSkew":10"#
    let lists = ["s", "t"].map { prefix in
      section(prefix, (0..<12).map { item("\(prefix)\($0)", 10) })
    }
    var feed = try OracleFeed(members: members, lists)
    feed.instalment = 2
    let odd = ["s", "t"].flatMap { prefix in
      stride(from: 1, to: 12, by: 2).map { "\(prefix)\($0)" }
    }
    try feed.apply([.delete(keys: odd)])
    // 60 and 0 in both; s4 and s6 go to column 1: 40 and 20 are not even yet.
    #expect(columns(feed) == [[0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0]])
    #expect(feed.sections[0].rebalance == OracleRebalance(nextKey: "s8", goesToEnd: false))
    #expect(feed.sections[1].rebalance == nil)
    // s8 is deleted, so s10 is next: 20 and 20, then 30 and 20.
    try feed.apply([.delete(keys: ["s8"])])
    #expect(columns(feed) == [[0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0]])
    #expect(feed.sections[0].rebalance == nil)
    // Nothing touches t, whose turn it is.
    try feed.apply([.insertSection(key: "u")])
    #expect(columns(feed) == [[0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0], []])
    try feed.apply([.insert(items: [item("x", 10)], at: .before("t8")), .continueRebalance])
    #expect(columns(feed)[1] == [0, 0, 1, 1, 0, 1, 0])
    #expect(try feed.firstOverdueSection() == nil)
  }

  @Test func anOperationPlacesUpToTheLimitAndDefersTheRest() throws {
    var feed = try lopsided()
    (feed.instalment, feed.placedAgainMax) = (1, 3)
    try feed.apply([.rebalance()])
    // Three of s; the instalment does its fourth.
    #expect(columns(feed) == [[0, 1, 1, 1], [0, 1, 0, 1]])
    #expect(feed.sections[0].rebalance == nil)
    #expect(feed.sections[1].rebalance == OracleRebalance(nextKey: "t0", goesToEnd: true))
    try feed.apply([.continueRebalance])
    #expect(columns(feed)[1] == [0, 1, 1, 1])
    #expect(feed.sections[1].rebalance == OracleRebalance(nextKey: "t3", goesToEnd: true))
    // Its last item is deleted, so the batch only needs to record that.
    try feed.apply([.delete(keys: ["t3"])])
    #expect(feed.sections[1].rebalance == nil)
  }

  @Test func skewIsCheckedOnlyAfterTheWholeBatch() throws {
    var feed = try feed()
    try feed.apply([
      .delete(keys: ["i1", "i3", "i5"]),
      .insert(items: [item("x", 10)], at: .end(section: "s")),
    ])
    #expect(feed.columns == [0, 0, 0, 0, 1, 1])
  }

  @Test func lineSpacingAfterTheLastItemCounts() throws {
    // i0 and i2 leave column 0 at 30, though they end at 25; the limit is 29.
    var feed = try OracleFeed(
      members: #""lineSpacing":5,"maximumSkew":19"#, [section(four("i").dropLast())])
    try feed.apply([.delete(keys: ["i1"])])
    #expect(feed.columns == [0, 1])
    feed = try OracleFeed(
      members: #""lineSpacing":5,"maximumSkew":20"#, [section(four("i").dropLast())])
    try feed.apply([.delete(keys: ["i1"])])
    #expect(feed.columns == [0, 0])
  }

  @Test(arguments: [(50.0, 11), (60, 13)])
  func defaultLimitIsTwoContainerLengths(height: Double, first: Int) throws {
    let all = (0..<26).map { item("i\($0)", 10) }
    var feed = try OracleFeed(height: height, [section(all)])
    try feed.apply([.delete(keys: all.indices.filter { $0 % 2 == 1 }.map { "i\($0)" })])
    // 130 and 0, with a limit of 110 or 130.
    #expect(feed.columns == (0..<13).map { $0 == first ? 1 : 0 })
  }

  @Test func containerWithoutMainLengthIsASquare() throws {
    let all = (0..<84).map { item("i\($0)", 10) }
    var feed = try OracleFeed(
      configuration: """
        {"container":{"width":200},
         "section":{"kind":"waterfall","columns":2,"itemLength":"natural"}}
        """, sections: [section(all)])
    let odd = all.indices.filter { $0 % 2 == 1 }.map { "i\($0)" }
    // 420 and 10, with a limit of 410.
    try feed.apply([.delete(keys: odd.dropLast())])
    #expect(feed.columns == Array(repeating: 0, count: 42) + [1])
    try feed.apply([.delete(keys: [odd.last!])])
    #expect(feed.columns == Array(repeating: 0, count: 41) + [1])
  }

  @Test func preferredLengthCountsForTheLongestItem() throws {
    var feed = try feed()
    try feed.apply([.prefer(key: "i7", length: 20 * 64), .delete(keys: ["i1", "i3", "i5"])])
    // 40 and 20; and once the preferred length is reset, 40 and 10 with a limit of 20.
    #expect(feed.columns == [0, 0, 0, 0, 1])
    try feed.apply([.prefer(key: "i7", length: nil)])
    #expect(feed.columns == [0, 0, 1, 0, 1])
  }

  @Test func skewLeftByARebalanceIsSettled() throws {
    // Column 0 takes all items while it is at most 100 longer; limit 10.
    let members = #""tolerance":100,"maximumSkew":0"#
    var feed = try feed(members)
    #expect(feed.columns == Array(repeating: 0, count: 8))
    #expect(feed.sections[0].settledSkew == 80 * 64)
    try feed.apply([.insert(items: Array(four("x").dropLast()), at: .end(section: "s"))])
    // 110 and 0: over the limit, but not over 160.
    #expect(feed.columns == Array(repeating: 0, count: 11))
    #expect(feed.sections[0].settledSkew == 80 * 64)
    try feed.apply([.moveSection(key: "s", index: 0)])
    #expect(feed.sections[0].settledSkew == 80 * 64)
    try feed.apply([.resize(key: "i0", width: 100, height: 100)])
    // 200 and 0, with a limit of 100. With i2 in column 1 they are even there, but 180 and 10 at
    // the end; from i1 on, no item has a better column.
    #expect(feed.columns == [0, 0, 1] + Array(repeating: 0, count: 8))
    #expect(feed.sections[0].rebalance == OracleRebalance(nextKey: "i3", goesToEnd: false))
    try feed.apply([.continueRebalance])
    #expect(feed.columns == [0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    #expect(feed.tops.last == 40)
    #expect(feed.sections[0].settledSkew == 0)
  }

  @Test func sectionRebalancesAboveTwiceItsSettledSkew() throws {
    var feed = try feed(#""tolerance":100,"maximumSkew":0"#)
    try feed.apply((0..<8).map { .resize(key: "i\($0)", width: 100, height: 20) })
    // 160 and 0, twice the settled 80.
    #expect(feed.columns == Array(repeating: 0, count: 8))
    try feed.apply([.resize(key: "i0", width: 100, height: 21)])
    // i5 finds column 0 at 101, over 100 longer; i6 at 101 and 20, i7 at 121 and 20.
    #expect(feed.columns == [0, 0, 0, 0, 0, 1, 0, 1])
    #expect(feed.sections[0].settledSkew == 81 * 64)
  }
}
