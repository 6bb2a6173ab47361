import TestSupport
import Testing

@Suite struct OracleDirectionTests {
  private let insets = #""inset":{"top":3,"left":5,"bottom":4,"right":7}"#

  @Test func rightToLeftMirrorsVerticalContent() throws {
    let oracle = try Oracle(
      width: 100, top: #""layoutDirection":"rightToLeft""#,
      section: #""kind":"grid","columns":2,"columnSpacing":10,"rowLength":10,\#(insets)"#,
      [section(items(heights: [1, 1]))])
    // T = 78: columns of 39 at 5 and 54, mirrored in 100.
    #expect(oracle.cellFrames == [PointFrame(56, 3, 39, 10), PointFrame(7, 3, 39, 10)])
    #expect(oracle.cellColumns == [0, 1])
  }

  @Test func horizontalContentSwapsTheAxes() throws {
    let oracle = try Oracle(
      height: 107, top: #""scrollDirection":"horizontal""#,
      section: """
        "kind":"waterfall","columns":2,"columnSpacing":20,"lineSpacing":6,"header":11,"footer":13,
        \(insets)
        """,
      [
        section([
          OracleItem(key: "a", width: 3, height: 2), OracleItem(key: "b", width: 1, height: 2),
          OracleItem(key: "c", width: 1, height: 1),
        ])
      ])
    // Across: T = 107 - 3 - 4 - 20 = 80, rows of 40 at 3 and 63. Along: 11 + 5 = 16.
    #expect(
      oracle.cellFrames == [
        PointFrame(16, 3, 60, 40), PointFrame(16, 63, 20, 40), PointFrame(42, 63, 40, 40),
      ])
    // Content is 66 long: 11 + 5 + 66 + 7 + 13.
    #expect(oracle.contentSize == UnitSize(width: 102 * 64, height: 107 * 64))
    #expect(
      oracle.supplementary(kind: "header", section: 0).map { PointFrame($0.frame) }
        == PointFrame(0, 0, 11, 107))
    #expect(
      oracle.supplementary(kind: "footer", section: 0).map { PointFrame($0.frame) }
        == PointFrame(89, 0, 13, 107))
  }

  @Test func naturalLengthIsTheWidthInHorizontalContent() throws {
    let oracle = try Oracle(
      height: 100, top: #""scrollDirection":"horizontal""#,
      section: #""kind":"waterfall","columns":1,"itemLength":"natural""#,
      [section([OracleItem(key: "a", width: 30, height: 70)])])
    #expect(oracle.cellFrames == [PointFrame(0, 0, 30, 100)])
  }

  @Test func rightToLeftMirrorsHorizontalContent() throws {
    let oracle = try Oracle(
      width: 50, height: 100,
      top: #""scrollDirection":"horizontal","layoutDirection":"rightToLeft""#,
      section: """
        "kind":"waterfall","columns":1,"itemLength":30,"header":10,"pinsHeader":true,\(insets)
        """, [section(items(heights: [1, 1]))])
    // 10 + 5 + 60 + 7 = 82 wide: the header is at the right, the trailing inset at the left.
    #expect(oracle.cellFrames == [PointFrame(37, 3, 30, 93), PointFrame(7, 3, 30, 93)])
    #expect(oracle.sectionsSummary.map(\.start) == [0])
    // The visible rectangle's start is its right edge, 60: 22 from the right.
    let rect = UnitRect(pointsX: 10, y: 0, width: 50, height: 100)
    #expect(
      oracle.elements(in: rect).first.map { PointFrame($0.frame) }
        == PointFrame(50, 0, 10, 100))
  }

  @Test func mirroringTwiceGivesTheSameFrames() throws {
    for direction in ["vertical", "horizontal"] {
      let top = #""scrollDirection":"\#(direction)""#
      let members = #""kind":"waterfall","columns":3,"columnSpacing":2,"header":8,\#(insets)"#
      let feed = [section(items(heights: [10, 300, 44, 95, 7]))]
      let plain = try Oracle(width: 101, height: 101, top: top, section: members, feed)
      let mirrored = try Oracle(
        width: 101, height: 101, top: top + #","layoutDirection":"rightToLeft""#,
        section: members, feed)
      let back = mirrored.allElements().map { element in
        var element = element
        element.x = mirrored.contentSize.width - element.x - element.width
        return element
      }
      #expect(back == plain.allElements())
      #expect(mirrored.allElements().allSatisfy { $0.x >= 0 })
    }
  }
}
