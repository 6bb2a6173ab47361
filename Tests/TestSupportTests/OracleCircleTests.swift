import TestSupport
import Testing

/// Every expectation is computed by hand.
@Suite struct OracleCircleTests {
  private let size = #""kind":"circle","itemSize":{"width":20,"height":10}"#

  private func feed(_ count: Int) -> [OracleSection] {
    [section(items(heights: Array(repeating: 1, count: count)))]
  }

  @Test func itemsAreOnACircleAroundThePagesMiddle() throws {
    // The radius is (100 - 20) / 2, the middle (100, 50).
    let oracle = try Oracle(width: 200, height: 100, section: size, feed(4))
    #expect(
      oracle.cellFrames == [
        PointFrame(130, 45, 20, 10), PointFrame(90, 85, 20, 10), PointFrame(50, 45, 20, 10),
        PointFrame(90, 5, 20, 10),
      ])
    #expect(oracle.contentSize == UnitSize(width: 200 * 64, height: 100 * 64))
    #expect(oracle.cellColumns == [nil, nil, nil, nil])
  }

  @Test func originsAreRounded() throws {
    // At 120 degrees: 100 - 20 - 10 = 70 and 50 + 34.641 - 5 = 79.641 points, 5097.03 units.
    let oracle = try Oracle(width: 200, height: 100, section: size, feed(3))
    #expect(oracle.cells[1].frame == UnitRect(x: 70 * 64, y: 5097, width: 1280, height: 640))
  }

  @Test func insetsApplyOnlyBeforeAndAfterThePage() throws {
    let insets = #""inset":{"top":7,"left":30,"bottom":9,"right":1000},"header":5"#
    let oracle = try Oracle(width: 200, height: 100, section: "\(size),\(insets)", feed(1))
    #expect(oracle.cellFrames == [PointFrame(130, 57, 20, 10)])
    #expect(oracle.contentSize.height == 121 * 64)
  }

  @Test func sectionWithoutItemsHasNoPage() throws {
    let oracle = try Oracle(
      width: 200, height: 100, section: size + #","inset":{"top":7}"#, feed(0))
    #expect(oracle.contentSize.height == 7 * 64)
  }

  @Test func everySectionIsAPage() throws {
    let oracle = try Oracle(
      width: 200, height: 100, section: size,
      [section("a", [item("a0", 1)]), section("b", [item("b0", 1)])])
    #expect(oracle.cellFrames == [PointFrame(130, 45, 20, 10), PointFrame(130, 145, 20, 10)])
  }

  @Test func itemsAsLargeAsThePageCoverIt() throws {
    let oracle = try Oracle(
      width: 200, height: 100,
      section: #""kind":"circle","itemSize":{"width":200,"height":90}"#, feed(2))
    // The radius would be (100 - 200) / 2, which is negative.
    #expect(oracle.cellFrames == [PointFrame(0, 5, 200, 90), PointFrame(0, 5, 200, 90)])
  }

  @Test(arguments: [(201.0, 50.0), (150, 101)])
  func itemsLargerThanThePageAreRejected(width: Double, height: Double) {
    let size = #""itemSize":{"width":\#(width),"height":\#(height)}"#
    for direction in ["vertical", "horizontal"] {
      #expect(throws: OracleRefusal(.outOfRange, "section.itemSize")) {
        try Oracle(
          width: 200, height: 100, top: #""scrollDirection":"\#(direction)""#,
          section: #""kind":"circle",\#(size)"#, feed(1))
      }
    }
  }

  @Test func anglesFollowTheContentInHorizontalLayouts() throws {
    let top = #""scrollDirection":"horizontal""#
    let oracle = try Oracle(width: 200, height: 100, top: top, section: size, feed(4))
    let vertical = try Oracle(width: 200, height: 100, section: size, feed(4))
    #expect(oracle.cellFrames == vertical.cellFrames)
    #expect(oracle.contentSize == UnitSize(width: 200 * 64, height: 100 * 64))
    // Mirroring comes last: the first item is at the left.
    let mirrored = try Oracle(
      width: 200, height: 100, top: top + #","layoutDirection":"rightToLeft""#, section: size,
      feed(4))
    #expect(
      mirrored.cellFrames == [
        PointFrame(50, 45, 20, 10), PointFrame(90, 85, 20, 10), PointFrame(130, 45, 20, 10),
        PointFrame(90, 5, 20, 10),
      ])
  }

  @Test func pageIsASquareWithoutAMainLength() throws {
    let oracle = try Oracle(width: 200, section: size, feed(1))
    #expect(oracle.cellFrames == [PointFrame(180, 95, 20, 10)])
    #expect(oracle.contentSize.height == 200 * 64)
  }
}
