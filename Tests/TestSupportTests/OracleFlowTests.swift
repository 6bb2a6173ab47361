import TestSupport
import Testing

/// Agreement with UICollectionViewFlowLayout on the same numbers; every expectation is computed
/// by hand.
@Suite struct OracleFlowTests {
  private func flow(
    width: Double = 320, _ members: String = "", _ items: [OracleItem]
  ) throws -> Oracle {
    let more = members.isEmpty ? "" : ",\(members)"
    return try Oracle(width: width, section: #""kind":"flow"\#(more)"#, [section(items)])
  }

  private func fixed(count: Int, width: Double = 320, _ members: String = "") throws -> Oracle {
    let size = #""itemSize":{"width":100,"height":50}"#
    let more = members.isEmpty ? "" : ",\(members)"
    return try flow(
      width: width, size + more, items(heights: Array(repeating: 1, count: count)))
  }

  /// Items as wide as these numbers of units, a point high.
  private func slabs(units: [Int64]) -> [OracleItem] {
    units.enumerated().map {
      OracleItem(key: "i\($0)", width: Units.points($1), height: 1)
    }
  }

  @Test func fixedSizeGivesTheLastLineAFullLinesGaps() throws {
    // Three of 100 and two gaps of at least 5 leave 10: gaps of 10.
    let spacing = #""minimumInteritemSpacing":5,"minimumLineSpacing":7"#
    let oracle = try fixed(count: 8, spacing)
    #expect(oracle.cells.map { $0.x / 64 } == [0, 110, 220, 0, 110, 220, 0, 110])
    #expect(oracle.cells.map { $0.y / 64 } == [0, 0, 0, 57, 57, 57, 114, 114])
    #expect(oracle.contentSize.height == 164 * 64)
    // Also where the last line is the only one, and where it is one item.
    #expect(try fixed(count: 2, spacing).cells.map { $0.x / 64 } == [0, 110])
    #expect(try fixed(count: 4, spacing).cells.map { $0.x / 64 } == [0, 110, 220, 0])
  }

  @Test func fixedSizeThatFitsOnceIsCentredInEveryLine() throws {
    #expect(try fixed(count: 3, width: 150).cells.map { $0.x / 64 } == [25, 25, 25])
    #expect(
      try fixed(count: 2, width: 199, #""lineAlignment":"leading""#).cells.map { $0.x / 64 }
        == [0, 0])
  }

  @Test func remainderUnitsGoToTheFirstGaps() throws {
    // 640 less 4 * 155 leaves 20: 7, 7 and 6.
    let oracle = try flow(width: 10, slabs(units: [155, 155, 155, 155, 155]))
    #expect(oracle.cells.map(\.x) == [0, 162, 324, 485, 0])
    #expect(oracle.cells[3].frame.maxX == 640)
    // A fixed size's last line has them too.
    let fixed = try flow(
      width: 10, #""itemSize":{"width":2.421875,"height":1}"#,
      items(heights: Array(repeating: 1, count: 7)))
    #expect(fixed.cells.map(\.x) == [0, 162, 324, 485, 0, 162, 324])
  }

  @Test func naturalLastLineKeepsTheMinimumSpacing() throws {
    let spacing = #""minimumInteritemSpacing":0.25"#
    let oracle = try flow(width: 10, spacing, slabs(units: [300, 300, 100, 100]))
    #expect(oracle.cells.map(\.x) == [0, 340, 0, 116])
    // Even if another item would not have fitted.
    let full = try flow(width: 10, spacing, slabs(units: [300, 300]))
    #expect(full.cells.map(\.x) == [0, 316])
  }

  @Test func lineOfOneItemIsCentredUnlessItIsTheLast() throws {
    // 640 - 401 = 239: 119.5, rounded down.
    let oracle = try flow(width: 10, slabs(units: [401, 401, 401]))
    #expect(oracle.cells.map(\.x) == [119, 119, 0])
  }

  @Test func minimumSpacingCountsWhenALineBreaks() throws {
    let spacing = #""minimumInteritemSpacing":0.625,"lineAlignment":"leading""#
    #expect(
      try flow(width: 10, spacing, slabs(units: [300, 300])).cells.map(\.x) == [0, 340])
    #expect(
      try flow(width: 10, spacing, slabs(units: [300, 301])).cells.map(\.x) == [0, 0])
  }

  @Test func itemWiderThanTheLineIsClampedAndAloneInItsLine() throws {
    let oracle = try flow(width: 10, slabs(units: [1, 641, 640, 1]))
    #expect(
      oracle.cells.map(\.frame) == [
        UnitRect(x: 319, y: 0, width: 1, height: 64),
        UnitRect(x: 0, y: 64, width: 640, height: 64),
        UnitRect(x: 0, y: 128, width: 640, height: 64),
        UnitRect(x: 0, y: 192, width: 1, height: 64),
      ])
    let fixed = try flow(
      width: 10, #""itemSize":{"width":11,"height":3}"#, items(heights: [1, 1]))
    #expect(fixed.cellFrames == [PointFrame(0, 0, 10, 3), PointFrame(0, 3, 10, 3)])
  }

  @Test(arguments: [("leading", [0, 200]), ("center", [19, 219]), ("trailing", [39, 239])])
  func linesAreAligned(alignment: String, starts: [Int64]) throws {
    // 200 + 401 leave 39 of 640; the last line is aligned like all others.
    let oracle = try flow(
      width: 10, #""lineAlignment":"\#(alignment)""#, slabs(units: [200, 401, 200, 401]))
    #expect(oracle.cells.map(\.x) == starts + starts)
  }

  @Test(arguments: [("top", 0), ("center", 32), ("bottom", 65)] as [(String, Int64)])
  func itemsAreAlignedInTheLongestOnesLine(alignment: String, offset: Int64) throws {
    let sizes = [
      OracleItem(key: "a", width: 4, height: 1), OracleItem(key: "b", width: 4, height: 129.0 / 64),
    ]
    let oracle = try flow(width: 10, #""crossAlignment":"\#(alignment)""#, sizes)
    #expect(oracle.cells.map(\.y) == [offset, 0])
    #expect(oracle.contentSize.height == 129)
  }

  @Test func itemsAreCentredByDefault() throws {
    let oracle = try flow(
      [
        OracleItem(key: "a", width: 10, height: 10), OracleItem(key: "b", width: 10, height: 30),
      ])
    #expect(oracle.cellFrames == [PointFrame(0, 10, 10, 10), PointFrame(10, 0, 10, 30)])
  }

  private func flow(_ items: [OracleItem]) throws -> Oracle { try flow("", items) }
  private func flow(width: Double, _ items: [OracleItem]) throws -> Oracle {
    try flow(width: width, "", items)
  }
}
