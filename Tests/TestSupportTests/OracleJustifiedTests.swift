import TestSupport
import Testing

/// Every expectation is computed by hand.
@Suite struct OracleJustifiedTests {
  private func justified(width: Double, _ members: String, ratios: [Double]) throws -> Oracle {
    try Oracle(
      width: width, section: #""kind":"justified",\#(members)"#,
      [
        section(
          ratios.enumerated().map {
            OracleItem(key: "i\($0)", width: $1 * 100, height: 100)
          })
      ])
  }

  @Test func rowEndsAtTheInsetExactly() throws {
    // H(3) = 1000 / 5.24 = 190.8, H(4) = 1000 / 7.02 = 142.45 points, 9116.81 units.
    let oracle = try justified(
      width: 1000, #""targetRowLength":150"#, ratios: [1.78, 1.78, 1.68, 1.78, 1])
    let cells = oracle.cells
    // 64000 times 1.78, 3.56 and 5.24 over 7.02: 16227.9, 32455.8 and 47772.1.
    #expect(cells.prefix(4).map(\.x) == [0, 16227, 32455, 47772])
    #expect(cells.prefix(4).map(\.frame.maxX) == [16227, 32455, 47772, 64000])
    #expect(cells.prefix(4).map(\.height) == [9116, 9116, 9116, 9116])
    #expect(cells[4].frame == UnitRect(x: 0, y: 9116, width: 9600, height: 9600))
    #expect(oracle.cellColumns == [nil, nil, nil, nil, nil])
  }

  @Test(
    arguments: [
      // H is 100, 50 and 33.3 with one, two and three squares.
      (100, 40, 3), (100, 42, 2), (100, 50, 2), (100, 100, 1), (100, 76, 1), (100, 1000, 1),
      // H(2) = 60 and H(3) = 40 are equally far off.
      (120, 50, 3), (120, 49.984375, 3), (120, 50.015625, 2),
    ] as [(Double, Double, Int)])
  func rowClosesAtTheNearerNumber(width: Double, target: Double, count: Int) throws {
    let oracle = try justified(
      width: width, #""targetRowLength":\#(target)"#, ratios: Array(repeating: 1, count: 40))
    let first = oracle.cells.filter { $0.y == 0 }
    #expect(first.count == count)
    #expect(first.last?.frame.maxX == oracle.contentSize.width)
  }

  @Test func spacingIsSubtractedAndInsertedBetweenRows() throws {
    // 110 less a gap and insets of 4 and 6: 90 over two squares.
    let oracle = try justified(
      width: 110, #""targetRowLength":45,"spacing":10,"inset":{"left":4,"right":6,"top":1}"#,
      ratios: [1, 1, 1])
    #expect(
      oracle.cellFrames == [
        PointFrame(4, 1, 45, 45), PointFrame(59, 1, 45, 45), PointFrame(4, 56, 45, 45),
      ])
    #expect(oracle.contentSize.height == 101 * 64)
  }

  @Test(
    arguments: [
      // H is 100 with one square and 50 with two.
      ("", 1, [PointFrame(0, 0, 40, 40)]),
      (#","lastRow":"natural","maximumRowLength":90"#, 1, [PointFrame(0, 0, 40, 40)]),
      (#","lastRow":"fill""#, 1, [PointFrame(0, 0, 60, 60)]),
      (#","lastRow":"fill","maximumRowLength":30"#, 1, [PointFrame(0, 0, 30, 30)]),
      (#","lastRow":"fill","maximumRowLength":99"#, 1, [PointFrame(0, 0, 99, 99)]),
      (#","lastRow":"fill","maximumRowLength":100"#, 1, [PointFrame(0, 0, 100, 100)]),
      (#","lastRow":"fill""#, 2, [PointFrame(0, 0, 50, 50), PointFrame(50, 0, 50, 50)]),
      (#","lastRow":"natural""#, 2, [PointFrame(0, 0, 40, 40), PointFrame(40, 0, 40, 40)]),
    ] as [(String, Int, [PointFrame])])
  func unfinishedRowIsHeldBack(more: String, count: Int, frames: [PointFrame]) throws {
    let oracle = try justified(
      width: 100, #""targetRowLength":40\#(more)"#, ratios: Array(repeating: 1, count: count))
    #expect(oracle.cellFrames == frames)
  }

  @Test func defaultMaximumIsOneAndAHalfTargetsRoundedDown() throws {
    // 65 units and a half of them: 97.5.
    let oracle = try justified(
      width: 100, #""targetRowLength":1.015625,"lastRow":"fill""#, ratios: [1])
    #expect(oracle.cells.map(\.frame) == [UnitRect(x: 0, y: 0, width: 97, height: 97)])
  }

  @Test func rowClosedEarlyLeavesAnUnfinishedRow() throws {
    // H(3) = 33.3 is further from 42 than H(2) = 50; the third begins the last row.
    let oracle = try justified(width: 100, #""targetRowLength":42"#, ratios: [1, 1, 1])
    #expect(
      oracle.cellFrames == [
        PointFrame(0, 0, 50, 50), PointFrame(50, 0, 50, 50), PointFrame(0, 50, 42, 42),
      ])
  }

  @Test func gapsThatLeaveNoRoomGiveEmptyCells() throws {
    // H(1) = 10 and H(2) = (10 - 12) / 2 = -1, nearer to 1.
    let oracle = try justified(
      width: 10, #""targetRowLength":1,"spacing":12"#, ratios: [1, 1])
    #expect(
      oracle.cells.map(\.frame) == [
        UnitRect(x: 0, y: 0, width: 0, height: 1), UnitRect(x: 704, y: 0, width: 0, height: 1),
      ])
    let everything = UnitRect(x: -6400, y: -6400, width: 64_000, height: 64_000)
    #expect(oracle.elements(in: everything).isEmpty)
  }

  @Test func extremeRatiosHaveAtLeastAUnitOfLength() throws {
    // H = 64000 / 1000000 units.
    let wide = [OracleItem(key: "a", width: 1_000_000, height: 1)]
    let oracle = try Oracle(
      width: 1000, section: #""kind":"justified","targetRowLength":9"#, [section(wide)])
    #expect(oracle.cells.map(\.frame) == [UnitRect(x: 0, y: 0, width: 64_000, height: 1)])
  }

  @Test func axesSwapWhereContentScrollsSideways() throws {
    // Ratios are height by width: 2 and 1 across 90, H = 30.
    let oracle = try Oracle(
      height: 100, top: #""scrollDirection":"horizontal""#,
      section: #""kind":"justified","targetRowLength":30,"inset":{"top":4,"bottom":6}"#,
      [
        section([
          OracleItem(key: "a", width: 50, height: 100), OracleItem(key: "b", width: 70, height: 70),
        ])
      ])
    #expect(oracle.cellFrames == [PointFrame(0, 4, 30, 60), PointFrame(0, 64, 30, 30)])
  }

  @Test func spansAndPreferredLengthsHaveNoEffect() throws {
    var items = items(heights: [50, 100, 80])
    let members = #""kind":"justified","targetRowLength":70"#
    let plain = try Oracle(width: 200, section: members, [section(items)])
    items[0].preferredLength = 6400
    items[1].span = 0
    let other = try Oracle(width: 200, section: members, [section(items)])
    #expect(plain.allElements() == other.allElements())
  }

  @Test func rowBeyondTheContentLimitIsRejected() {
    // A of 21.3 million units, ratios of 1 / 64 million: H(1) is 1.3632e15 units, more
    // than 2^50, and H(2) = -1.3664e15 still further off.
    let sliver = OracleItem(key: "", width: 1.0 / 64, height: 1_000_000)
    #expect(throws: OracleRefusal(.contentTooLong, "section")) {
      try Oracle(
        width: 332_812.5,
        section: #""kind":"justified","targetRowLength":10,"spacing":1000000"#,
        [section([sliver, sliver])])
    }
  }
}
