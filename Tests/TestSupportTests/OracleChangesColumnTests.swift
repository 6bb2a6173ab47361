import TestSupport
import Testing

/// The columns of a stable waterfall's items after a change; every expectation is computed by
/// hand.
@Suite struct OracleChangesColumnTests {
  /// i0 and i2 in column 0, i1 in column 1; both end at 30, so i3 is in column 0.
  private func feed() throws -> OracleFeed {
    try OracleFeed([section(items(heights: [10, 30, 20, 5]))])
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
}
