import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The offset that keeps the first unchanged cell in place. `World+Anchors` has the rule.
@Suite struct AnchorRuleTests {
  @Test func aCutCellThatGrowsLeavesTheWholeCellsInPlace() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 44), count: 50))],
      configuration:
        #"{"container":{"width":100},"section":{"columns":1,"itemLength":"natural","header":40}}"#)
    let visible = Rect(x: 0, y: 514, width: 100, height: 300)
    let before = try test.keptSnapshot()
    let commit = try test.cache.update(
      "feed", with: [.prefer(layout: "layout", key: "s-10", length: 200)], visible: visible)
    let kept = try test.read { try $0.contentOffset(keeping: visible, of: before) }
    #expect(commit.layouts["layout"]?.context.contentOffsetAdjustment.y == 156)
    #expect(kept?.contentOffset.y == 514 + 156 && kept?.key == "s-11")
  }

  @Test func theAdjustmentEndsWithTheContent() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 10))],
      configuration: #"{"container":{"width":100},"section":{"columns":1,"itemLength":"natural"}}"#)
    try test.read { _ in }
    func adjustment(_ y: Length, _ operations: [BatchOperation]) throws -> Length {
      let commit = try test.cache.update(
        "feed", with: operations, visible: Rect(x: 0, y: y, width: 100, height: 300))
      return try #require(commit.layouts["layout"]).context.contentOffsetAdjustment.y
    }
    func resize(_ item: Int, _ height: Length) -> BatchOperation {
      .resize(key: "s-\(item)", size: Size(width: 100, height: height))
    }
    // Item 1 would be at 32 above the start.
    #expect(try adjustment(20, [resize(0, 48)]) == -20)
    #expect(try adjustment(-10, [resize(0, 40)]) == 10)
    #expect(try adjustment(640, [resize(9, 60)]) == -40)
    // No visible cell remains, and the content ends before the visible rectangle.
    #expect(try adjustment(500, [.delete(keys: (1..<10).map { "s-\($0)" })]) == -500)
  }
}
