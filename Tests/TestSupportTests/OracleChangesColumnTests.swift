import TestSupport
import Testing

/// The columns of a stable waterfall's items after a change; every expectation is computed by
/// hand.
@Suite struct OracleChangesColumnTests {
  /// i0 and i2 in column 0, i1 in column 1; both end at 30, so i3 is in column 0.
  private func feed(_ members: String = "") throws -> OracleFeed {
    try OracleFeed(members: members, [section(items(heights: [10, 30, 20, 5]))])
  }

  @Test func insertedRunIsPlacedOneAfterTheOther() throws {
    var feed = try feed()
    try feed.apply([
      .insert(items: [item("x", 10), item("y", 15), item("z", 10)], at: .before("i0"))
    ])
    #expect(feed.columns == [0, 1, 0, 0, 1, 0, 0])
    #expect(feed.tops == [0, 0, 10, 20, 15, 30, 50])
  }

  @Test func insertedColumnAndPreferredLengthAreLeftOut() throws {
    var feed = try feed()
    var inserted = item("x", 40)
    inserted.storedColumn = 0
    inserted.preferredLength = 64
    try feed.apply([.insert(items: [inserted], at: .index(1, section: "s"))])
    #expect(feed.columns == [0, 1, 1, 0, 0])
    #expect(feed.heights[1] == 40)
  }

  @Test func resizeToAnotherSpanPlacesTheItemAgain() throws {
    var feed = try feed()
    try feed.apply([.resize(key: "i2", width: 100, height: 20, span: 2)])
    // Under i1, the longer one; i3 follows in its column.
    #expect(feed.columns == [0, 1, 0, 0])
    #expect(feed.tops == [0, 0, 30, 50])
    try feed.apply([
      .resize(key: "i0", width: 100, height: 50),
      .resize(key: "i2", width: 100, height: 20, span: 1),
    ])
    #expect(feed.columns == [0, 1, 1, 0])
    #expect(feed.tops == [0, 0, 30, 50])
  }

  @Test func resizeToAnEquallyClampedSpanKeepsTheColumn() throws {
    var feed = try OracleFeed(
      columns: 3, [section(items(heights: [10, 10, 10, 10, 10], spans: [1, 1, 1, 1, 2]))])
    #expect(feed.columns == [0, 1, 2, 0, 1])
    // Placed again, i3 would go to column 1 and i4 to column 1 at the earliest.
    try feed.apply([
      .resize(key: "i0", width: 100, height: 50),
      .resize(key: "i3", width: 100, height: 5, span: 1),
    ])
    #expect(feed.columns == [0, 1, 2, 0, 1])
    #expect(feed.tops == [0, 0, 0, 50, 10])
    // Three columns and all columns are the same.
    try feed.apply([.resize(key: "i4", width: 100, height: 10, span: 7)])
    #expect(feed.columns == [0, 1, 2, 0, 0])
    #expect(feed.tops[4] == 55)
    try feed.apply([.resize(key: "i4", width: 100, height: 10, span: 0)])
    #expect(feed.columns == [0, 1, 2, 0, 0])
  }

  @Test func movedItemIsPlacedAgain() throws {
    var feed = try feed()
    try feed.apply([.move(key: "i0", to: .index(2, section: "s"))])
    // Without i0 the columns are at 20 and 30 after i1 and i2.
    #expect(feed.keys == ["i1", "i2", "i0", "i3"])
    #expect(feed.columns == [1, 0, 0, 0])
    #expect(feed.tops == [0, 0, 20, 30])
  }

  @Test func moveToItsOwnPositionChangesNothing() throws {
    var feed = try feed()
    try feed.apply([
      .resize(key: "i0", width: 100, height: 50), .move(key: "i2", to: .index(2, section: "s")),
    ])
    #expect(feed.keys == ["i0", "i1", "i2", "i3"])
    #expect(feed.columns == [0, 1, 0, 0])
  }

  @Test func operationSeesTheResultOfPreviousOperations() throws {
    let insertion = OracleOperation.insert(items: [item("x", 1)], at: .index(2, section: "s"))
    let resizing = OracleOperation.resize(key: "i0", width: 100, height: 50)
    var feed = try feed()
    try feed.apply([insertion, resizing])
    #expect(feed.columns == [0, 1, 0, 0, 0])
    feed = try self.feed()
    try feed.apply([resizing, insertion])
    #expect(feed.columns == [0, 1, 1, 0, 0])
  }

  @Test func cursorIsTheColumnAfterTheItemBefore() throws {
    let members = #""tolerance":10"#
    let feed = [section(items(heights: [10, 10, 10]))]
    let batch: [OracleOperation] = [
      .insert(items: [item("x", 10), item("y", 10)], at: .after("i0")),
      .insert(items: [item("z", 10)], at: .end(section: "s")),
      .insert(items: [item("w", 10)], at: .index(0, section: "s")),
    ]
    var cursor = try OracleFeed(columns: 3, members: members + #","ties":"cursor""#, feed)
    #expect(cursor.columns == [0, 1, 2])
    try cursor.apply(batch)
    // w, i0, x, y, i1, i2, z; z goes round to the first column.
    #expect(cursor.columns == [0, 0, 1, 2, 1, 2, 0])
    var leading = try OracleFeed(columns: 3, members: members, feed)
    // 10 is within reach of the empty columns, 20 is not.
    #expect(leading.columns == [0, 0, 1])
    try leading.apply(batch)
    // x: 10 0 0; y: 20 0 0; z: 30 20 0.
    #expect(leading.columns == [0, 0, 0, 1, 0, 1, 2])
  }

  @Test func exactWaterfallIsAlwaysPlacedFromScratch() throws {
    var feed = try feed(#""assignment":"exact""#)
    try feed.apply([
      .insert(items: [item("x", 40)], at: .index(1, section: "s")), .delete(keys: ["i0"]),
    ])
    // x 0...40, i1 0...30, i2 30...50, i3 40...45.
    #expect(feed.columns == [0, 1, 1, 0])
    #expect(feed.tops == [0, 0, 30, 40])
    #expect(feed.sections[0].items.allSatisfy { $0.storedColumn == nil })
  }

  @Test func itemsMoveBetweenSectionsOfAllKinds() throws {
    var feed = try OracleFeed(
      top: #""sections":{"exact":{"assignment":"exact"},"grid":{"kind":"grid","rowLength":7}}"#,
      [
        section("s", [item("a", 10), item("b", 10)]), section("exact", [item("c", 10)]),
        section("grid", [item("d", 10)]),
      ])
    try feed.apply([
      .move(key: "b", to: .after("c")), .move(key: "c", to: .after("d")),
      .move(key: "d", to: .end(section: "s")),
    ])
    #expect(feed.keys == ["a", "d", "b", "c"])
    #expect(feed.columns == [0, 1, 0, 0])
    #expect(feed.sections.map { $0.items.map(\.storedColumn) } == [[0, 1], [nil], [nil]])
    #expect(feed.heights == [10, 10, 10, 7])
  }

  @Test func anotherConfigurationPlacesEverythingAgain() throws {
    var feed = try feed()
    try feed.apply([.resize(key: "i0", width: 100, height: 50)])
    let other = #"{"container":{"width":300},"section":{"kind":"waterfall","columns":3}}"#
    try feed.replace(configuration: other)
    let fresh = try OracleFeed(configuration: other, sections: feed.sections)
    #expect(feed.columns == [0, 1, 2, 2])
    #expect(feed.oracle.allElements() == fresh.oracle.allElements())
  }
}
