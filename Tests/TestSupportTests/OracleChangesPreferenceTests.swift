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

  @Test func preferredLengthSurvivesMoveAndRelayout() throws {
    var feed = try feed()
    try feed.apply([.prefer(key: "i0", length: 3 * 64)])
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

  @Test func resetPreferredLengthRestoresTheNaturalSize() throws {
    var feed = try feed()
    try feed.apply([.prefer(key: "i0", length: 3 * 64)])
    try feed.apply([.prefer(key: "i0", length: nil)])
    #expect(feed.heights == [10, 30, 20, 8])
    #expect(feed.columns == [0, 1, 0, 0])
  }

  @Test func resizeResetsThePreferredLengthUnlessTheSizeIsEqual() throws {
    var feed = try feed()
    try feed.apply([
      .prefer(key: "i0", length: 3 * 64), .prefer(key: "i1", length: 3 * 64),
      .prefer(key: "i2", length: 3 * 64), .resize(key: "i0", width: 100, height: 33),
      .resize(key: "i1", width: 100, height: 30, span: 0),
    ])
    try feed.apply([.resize(key: "i2", width: 100, height: 20)])
    #expect(feed.heights == [33, 3, 3, 8])
  }

  @Test(arguments: [
    #""kind":"grid","rowLength":7"#, #""kind":"justified","targetRowLength":50"#,
    #""kind":"flow","itemSize":{"width":5,"height":5}"#,
    #""kind":"circle","itemSize":{"width":5,"height":5}"#,
  ])
  func lengthsThatCanHaveNoEffectAreRejected(members: String) throws {
    var feed = try OracleFeed(
      configuration: #"{"container":{"width":100},"section":{\#(members)}}"#,
      sections: [section(items(heights: [10]))])
    let refusal = #expect(throws: OracleRefusal.self) {
      try feed.apply([.prefer(key: "i0", length: 64)])
    }
    #expect(refusal?.code == .takesNoLength)
    try feed.apply([.prefer(key: "i0", length: nil)])
    #expect(feed.revision == 1)
  }

  @Test func operationsWithoutEffectCreateNoRevision() throws {
    var feed = try feed()
    try feed.apply([.prefer(key: "i0", length: 64)])
    #expect(feed.revision == 2)
    try feed.apply([
      .prefer(key: "i0", length: 64), .prefer(key: "i1", length: nil),
      .resize(key: "i2", width: 100, height: 20, span: 1), .delete(keys: []),
      .insert(items: [], at: .after("i3")), .move(key: "i1", to: .after("i0")),
      .move(key: "i3", to: .end(section: "s")), .moveSection(key: "t", index: 1),
      .invalidate(),
    ])
    #expect(feed.revision == 2)
    for operation in [
      .rebalance(), .invalidate(items: ["i0"]), .resize(key: "i2", width: 100, height: 20, span: 2),
      .move(key: "i1", to: .end(section: "t")),
    ] as [OracleOperation] {
      let revision = feed.revision
      try feed.apply([operation])
      #expect(feed.revision == revision + 1)
    }
  }

  @Test func reinsertedKeyHasNoPreferredLength() throws {
    var feed = try feed()
    try feed.apply([.prefer(key: "i2", length: 3 * 64), .prefer(key: "i1", length: 5 * 64)])
    try feed.apply([
      .delete(keys: ["i2"]), .insert(items: [item("i2", 12)], at: .after("i1")),
    ])
    // The columns are at 10 and 5: not in its old column either.
    #expect(feed.heights == [10, 5, 12, 8])
    #expect(feed.columns == [0, 1, 1, 0])
  }

  @Test func gridsAndSpansIgnorePreferredLengths() throws {
    var feed = try OracleFeed(
      top: #""sections":{"grid":{"kind":"grid","rowLength":7}}"#,
      [section("grid", items(heights: [10])), section("s", [])])
    try feed.apply([.move(key: "i0", to: .end(section: "s")), .prefer(key: "i0", length: 64)])
    #expect(feed.heights == [1])
    try feed.apply([.move(key: "i0", to: .end(section: "grid"))])
    #expect(feed.heights == [7])
    try feed.apply([
      .move(key: "i0", to: .end(section: "s")),
      .resize(key: "i0", width: 100, height: 10, span: 2),
    ])
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
