import TestSupport
import Testing

@Suite struct OracleChangesPreferenceTests {
  /// i0 and i2 in column 0, i1 in column 1, i3 in column 0.
  private func feed() throws -> OracleFeed {
    try OracleFeed(
      members: #""minimumLength":8,"maximumLength":40"#,
      [section(items(heights: [10, 30, 20, 5])), section("t", [])])
  }

  @Test func preferredLengthWinsUnclampedAndKeepsTheColumns() throws {
    var feed = try feed()
    try feed.apply([.prefer(key: "i0", length: 32), .prefer(key: "i1", length: 6400)])
    #expect(feed.columns == [0, 1, 0, 0])
    #expect(feed.heights == [0.5, 100, 20, 8])
    #expect(feed.tops == [0, 0, 0.5, 20.5])
  }

  @Test func preferredLengthSurvivesResizeMoveAndRelayout() throws {
    var feed = try feed()
    try feed.apply([
      .prefer(key: "i0", length: 3 * 64), .resize(key: "i0", width: 100, height: 33),
    ])
    #expect(feed.heights == [3, 30, 20, 8])
    try feed.apply([.move(key: "i0", to: .end(section: "t")), .invalidate(everything: true)])
    #expect(feed.keys == ["i1", "i2", "i3", "i0"])
    #expect(feed.heights == [30, 20, 8, 3])
    try feed.layOutFromScratch()
    #expect(feed.heights == [30, 20, 8, 3])
    try feed.replace(
      configuration:
        #"{"container":{"width":9},"section":{"kind":"waterfall","itemLength":7}}"#)
    #expect(feed.heights == [7, 7, 7, 3])
    try feed.apply([.prefer(key: "i0", length: nil)])
    #expect(feed.heights == [7, 7, 7, 7])
  }

  @Test func takenBackItLeavesTheNaturalSize() throws {
    var feed = try feed()
    try feed.apply([
      .prefer(key: "i0", length: 3 * 64), .resize(key: "i0", width: 100, height: 33),
    ])
    try feed.apply([.prefer(key: "i0", length: nil)])
    #expect(feed.heights == [33, 30, 20, 8])
    #expect(feed.columns == [0, 1, 0, 0])
  }

  @Test func itemOfADeletedKeyStartsWithoutIt() throws {
    var feed = try feed()
    try feed.apply([.prefer(key: "i2", length: 3 * 64), .prefer(key: "i1", length: 5 * 64)])
    try feed.apply([
      .delete(keys: ["i2"]), .insert(items: [item("i2", 12)], at: .after("i1")),
    ])
    // The columns stand at 10 and 5: not in its old column either.
    #expect(feed.heights == [10, 5, 12, 8])
    #expect(feed.columns == [0, 1, 1, 0])
  }

  @Test func gridsAndSpansTakeNoPart() throws {
    var feed = try OracleFeed(
      top: #""sections":{"grid":{"kind":"grid","rowLength":7}}"#,
      [section("grid", items(heights: [10])), section("s", [])])
    try feed.apply([.prefer(key: "i0", length: 64)])
    #expect(feed.heights == [7])
    try feed.apply([.move(key: "i0", to: .end(section: "s"))])
    #expect(feed.heights == [1])
    try feed.apply([.resize(key: "i0", width: 5, height: 5, span: 2)])
    #expect(feed.heights == [1])
    #expect(feed.oracle.cells[0].width == 200 * 64)
  }

  @Test func exactWaterfallPlacesByPreferredLengths() throws {
    var feed = try OracleFeed(
      members: #""assignment":"exact""#, [section(items(heights: [10, 30, 20, 5]))])
    try feed.apply([.prefer(key: "i0", length: 40 * 64)])
    #expect(feed.columns == [0, 1, 1, 0])
    #expect(feed.tops == [0, 0, 30, 40])
  }
}
