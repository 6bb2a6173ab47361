import TestSupport
import Testing

/// Every expectation is computed by hand from the specification's rules.
@Suite struct OracleWaterfallTests {
  @Test func twoColumnsByAspectRatio() throws {
    // T = 375 - 2 * 10 - 10 = 345, a column is 172.5 wide.
    let sizes: [(Double, Double)] = [(1, 1), (2, 1), (1, 2), (3, 1), (7, 5)]
    let items = sizes.enumerated().map {
      OracleItem(key: "i\($0.offset)", width: $0.element.0 * 100, height: $0.element.1 * 100)
    }
    let oracle = try Oracle(
      width: 375,
      section: """
        "kind":"waterfall","columns":2,"columnSpacing":10,"lineSpacing":10,
        "inset":{"top":10,"left":10,"bottom":10,"right":10}
        """, [section(items)])
    // 172.5 * 5 / 7 points = 7885.71 units, rounded down to 7885 = 123.203125 points.
    #expect(
      oracle.cellFrames == [
        PointFrame(10, 10, 172.5, 172.5),
        PointFrame(192.5, 10, 172.5, 86.25),
        PointFrame(192.5, 106.25, 172.5, 345),
        PointFrame(10, 192.5, 172.5, 57.5),
        PointFrame(10, 260, 172.5, 123.203125),
      ])
    // The longest column ends at 451.25, without a spacing after it.
    #expect(oracle.contentSize == UnitSize(width: 375 * 64, height: Int64(461.25 * 64)))
  }

  @Test(arguments: [(1200.0, 7, 10.0), (1001, 3, 0), (1001, 7, 3), (997, 256, 1)])
  func lastColumnEndsAtTheContainer(width: Double, columns: Int, gap: Double) throws {
    let oracle = try Oracle(
      width: width,
      section: #""kind":"waterfall","columns":\#(columns),"columnSpacing":\#(gap)"#,
      [section(items(heights: Array(repeating: 100, count: columns)))])
    let frames = oracle.cells.map(\.frame)
    #expect(frames.first?.x == 0)
    #expect(frames.last?.maxX == Units.floor(points: width))
    for (left, right) in zip(frames, frames.dropFirst()) {
      #expect(right.x - left.maxX == Units.floor(points: gap))
    }
  }

  @Test func columnEdgesAreRoundedDown() throws {
    // 1001 points are 64064 units; a third is 21354.67.
    let oracle = try Oracle(
      width: 1001, section: #""kind":"waterfall","columns":3"#,
      [section(items(heights: [100, 100, 100]))])
    #expect(oracle.cells.map(\.x) == [0, 21354, 42709])
    #expect(oracle.cells.map(\.width) == [21354, 21355, 21355])
    // By the nominal width, in every column the same.
    #expect(oracle.cells.map(\.height) == [21354, 21354, 21354])
  }

  @Test func aspectLengthIsRoundedDownAndAtLeastAUnit() throws {
    let oracle = try Oracle(
      width: 1, section: #""kind":"waterfall","columns":1"#,
      [
        section([
          OracleItem(key: "one", width: 64, height: 1),
          OracleItem(key: "below", width: 65, height: 1),
          OracleItem(key: "more", width: 128, height: 5),
        ])
      ])
    // 1, 0.98 (at least one unit all the same) and 2.5 units.
    #expect(oracle.cells.map(\.height) == [1, 1, 2])
  }

  @Test func extremeRatiosAreExact() throws {
    let oracle = try Oracle(
      width: 1000, section: #""kind":"waterfall","columns":1"#,
      [
        section([
          OracleItem(key: "tall", width: 1, height: 4000),
          OracleItem(key: "wide", width: 600, height: 1),
          OracleItem(key: "wider", width: 1_000_000, height: 1.0 / 64),
        ])
      ])
    // 64000 * 4000; 64000 / 600 = 106.67; far below one unit.
    #expect(oracle.cells.map(\.height) == [256_000_000, 106, 1])
  }

  @Test func aspectLengthOfASpanIncludesItsGaps() throws {
    let oracle = try Oracle(
      width: 320, section: #""kind":"waterfall","columns":3,"columnSpacing":10"#,
      [section([OracleItem(key: "a", width: 2, height: 1, span: 2)])])
    #expect(oracle.cellFrames == [PointFrame(0, 0, 210, 105)])
  }

  @Test func spanOverUnevenColumnsStartsUnderTheLongerOne() throws {
    let oracle = try Oracle(
      width: 300,
      section: #""kind":"waterfall","columns":3,"itemLength":"natural","lineSpacing":5"#,
      [section(items(heights: [100, 50, 20, 10, 30], spans: [1, 1, 2, 0, 1]))])
    // After two items the columns are at 105, 55 and 0: columns 1 and 2 win with 55.
    #expect(
      oracle.cellFrames == [
        PointFrame(0, 0, 100, 100),
        PointFrame(100, 0, 100, 50),
        PointFrame(100, 55, 200, 20),
        PointFrame(0, 105, 300, 10),
        PointFrame(0, 120, 100, 30),
      ])
    #expect(oracle.contentSize.height == 150 * 64)
  }

  @Test(arguments: [0, 3, 4, 1000])
  func spanIsClampedToTheColumns(span: Int) throws {
    let oracle = try Oracle(
      width: 300, section: #""kind":"waterfall","columns":3,"itemLength":10"#,
      [section(items(heights: [1], spans: [span]))])
    #expect(oracle.cellFrames == [PointFrame(0, 0, 300, 10)])
  }

  @Test func toleranceIsInclusiveAndLeadingTakesTheFirst() throws {
    let oracle = try Oracle(
      width: 300, section: #""kind":"waterfall","columns":3,"itemLength":5,"tolerance":10"#,
      [section(items(heights: [1, 1, 1, 1, 1]))])
    // 0, 5 and 10 are within 10 of the empty columns; 15 is not.
    #expect(oracle.cellColumns == [0, 0, 0, 1, 1])
    #expect(oracle.cells.map { $0.y / 64 } == [0, 5, 10, 0, 5])
  }

  @Test func cursorContinuesAfterThePreviousItem() throws {
    let members = #""kind":"waterfall","columns":3,"itemLength":"natural""#
    let feed = [section(items(heights: [10, 10, 20, 10, 10, 10]))]
    // After five items all columns are at 20, the last one placed in column 1.
    let leading = try Oracle(width: 300, section: members, feed)
    #expect(leading.cellColumns == [0, 1, 2, 0, 1, 0])
    let cursor = try Oracle(width: 300, section: members + #","ties":"cursor""#, feed)
    #expect(cursor.cellColumns == [0, 1, 2, 0, 1, 2])
  }

  @Test func trailingTakesTheLastColumnThatMayBeTaken() throws {
    let members = #""kind":"waterfall","columns":3,"itemLength":"natural","ties":"trailing""#
    let plain = try Oracle(
      width: 300, section: members, [section(items(heights: [10, 20, 10, 5]))])
    #expect(plain.cellColumns == [2, 1, 0, 2])
    let tolerant = try Oracle(
      width: 300, section: members + #","tolerance":10"#,
      [section(items(heights: [5, 5, 5, 5, 5]))])
    // 0, 5 and 10 are within 10 of the empty columns; 15 is not.
    #expect(tolerant.cellColumns == [2, 2, 2, 1, 1])
    // Spans of two may start in columns 0 and 1; after the first in 0 only at no tolerance.
    let spanning = try Oracle(
      width: 300, section: members,
      [section(items(heights: [10, 10, 10, 10], spans: [2, 1, 2, 0]))])
    #expect(spanning.cellColumns == [1, 0, 1, 0])
  }

  @Test func cursorWithToleranceCyclesThroughTheColumns() throws {
    let oracle = try Oracle(
      width: 300,
      section: """
        "kind":"waterfall","columns":3,"itemLength":"natural","tolerance":10,"ties":"cursor"
        """, [section(items(heights: [5, 30, 5, 5, 5, 5]))])
    // 5 0 0, 5 30 0, 5 30 5; 10 30 5; then column 1 is too long: 10 30 10; and from the front.
    #expect(oracle.cellColumns == [0, 1, 2, 0, 2, 0])
  }

  @Test func cursorStartsAfterTheWholeSpanAndWraps() throws {
    let oracle = try Oracle(
      width: 300,
      section: #""kind":"waterfall","columns":3,"itemLength":10,"tolerance":40,"ties":"cursor""#,
      [section(items(heights: [1, 1, 1, 1], spans: [2, 2, 1, 1]))])
    // The second would start at column 2, where a span of two has no room: it wraps to 0.
    #expect(oracle.cellColumns == [0, 0, 2, 0])
  }

  @Test(
    arguments: [
      (#""natural""#, [20, 25, 30]), (#""aspect""#, [20, 25, 30]), ("19.5", [20, 20, 20]),
      ("31", [30, 30, 30]), ("24", [24, 24, 24]),
    ] as [(String, [Int64])])
  func onlyComputedLengthsAreClamped(itemLength: String, lengths: [Int64]) throws {
    var items = items(heights: [10, 25, 40])
    items += [7, 99].map {
      OracleItem(key: "p\($0)", width: 100, height: 25, preferredLength: $0 * 64)
    }
    let oracle = try Oracle(
      width: 100,
      section: """
        "kind":"waterfall","columns":1,"itemLength":\(itemLength),"minimumLength":20,
        "maximumLength":30
        """, [section(items)])
    #expect(oracle.cells.map { $0.height / 64 } == lengths + [7, 99])
  }

  @Test func storedColumnReplacesTheChoice() throws {
    var stored = items(heights: [10, 10, 10])
    stored[1].storedColumn = 0
    let oracle = try Oracle(
      width: 200, section: #""kind":"waterfall","columns":2,"itemLength":10"#,
      [section(stored)])
    #expect(oracle.cellColumns == [0, 0, 1])
    #expect(oracle.cells.map { $0.y / 64 } == [0, 10, 0])
  }

  @Test func positionsBeyondTwoToThe32PointsAreExact() throws {
    let heights = Array(repeating: 1_000_000.0, count: 4300)
    let oracle = try Oracle(
      width: 100, section: #""kind":"waterfall","columns":1,"itemLength":"natural""#,
      [section(items(heights: heights))])
    #expect(oracle.contentSize.height == 4_300_000_000 * 64)
    let last = try #require(oracle.cells.last)
    #expect(last.y == 4_299_000_000 * 64)
  }
}
