import TestSupport
import Testing

@Suite struct OracleGridTests {
  @Test func cellsFillRowsRegardlessOfSizesAndSpans() throws {
    let oracle = try Oracle(
      width: 320,
      section: """
        "kind":"grid","columns":3,"columnSpacing":10,"lineSpacing":5,"rowLength":40
        """, [section(items(heights: [1, 900, 3, 4], spans: [3, 0, 1, 2]))])
    #expect(
      oracle.cellFrames == [
        PointFrame(0, 0, 100, 40), PointFrame(110, 0, 100, 40), PointFrame(220, 0, 100, 40),
        PointFrame(0, 45, 100, 40),
      ])
    #expect(oracle.cellColumns == [0, 1, 2, 0])
    #expect(oracle.contentSize.height == 85 * 64)
  }

  @Test func squareIsTheNominalWidthRoundedDown() throws {
    // 64064 / 3 = 21354.67 units.
    let oracle = try Oracle(
      width: 1001, section: #""kind":"grid","columns":3,"rowLength":"square""#,
      [section(items(heights: [1]))])
    #expect(oracle.cells.map(\.frame) == [UnitRect(x: 0, y: 0, width: 21354, height: 21354)])
  }

  /// 100 a column with gaps of 10: 99 and 100 give one, 210 two, 319 two, 320 three.
  @Test(arguments: [(99.0, 1), (100, 1), (209, 1), (210, 2), (319, 2), (320, 3)])
  func autoFillUsesAsManyColumnsAsFit(width: Double, columns: Int) throws {
    let oracle = try Oracle(
      width: width,
      section: """
        "kind":"grid","minimumColumnWidth":100,"columnSpacing":10,"rowLength":10
        """, [section(items(heights: Array(repeating: 1, count: 9)))])
    #expect(oracle.cells.filter { $0.y == 0 }.count == columns)
  }

  @Test(arguments: ["grid", "waterfall"])
  func twoColumnsAreTheDefault(kind: String) throws {
    let oracle = try Oracle(
      width: 300, section: #""kind":"\#(kind)""#, [section(items(heights: [1, 1, 1]))])
    #expect(oracle.cellColumns == [0, 1, 0])
  }
}
