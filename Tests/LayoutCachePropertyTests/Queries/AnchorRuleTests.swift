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

  @Test(arguments: ["vertical", "horizontal"])
  func theEndStaysInSight(direction: String) throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 2))],
      configuration: """
        {"container":{"width":100,"height":100},"scrollDirection":"\(direction)",
        "layoutDirection":"rightToLeft","section":{"columns":1,"itemLength":"natural"}}
        """)
    try test.read { _ in }
    // Rectangles of 300 points by their start from the leading edge.
    func change(
      _ start: Length, _ operation: BatchOperation, _ anchor: OffsetAnchor = .end
    ) throws -> Length {
      func visible(_ length: Length) -> Rect {
        direction == "vertical"
          ? Rect(x: 0, y: start, width: 100, height: 300)
          : Rect(x: length - start - 300, y: 0, width: 300, height: 100)
      }
      let before = try test.keptSnapshot()
      func main(_ size: Size) -> Length { direction == "vertical" ? size.height : size.width }
      let old = main(before.contentSize)
      let commit = try test.cache.update(
        "feed", with: [operation], visible: visible(old), anchor: anchor)
      let adjustment = try #require(commit.layouts["layout"]).context.contentOffsetAdjustment
      return try test.read { snapshot in
        let kept = try snapshot.contentOffset(keeping: visible(old), of: before, anchor: anchor)
        let origin = visible(old).origin
        if let kept {
          #expect(
            kept.contentOffset
              == Point(x: origin.x + adjustment.x, y: origin.y + adjustment.y))
        }
        return direction == "vertical"
          ? origin.y + adjustment.y
          : main(snapshot.contentSize) - origin.x - adjustment.x - 300
      }
    }
    func insert(_ count: Int, _ name: String) throws -> BatchOperation {
      .insert(
        try (0..<count).map { try Item(key: "\(name)\($0)", width: 100, height: 100) },
        at: .end(section: "s"))
    }
    // The content is shorter than the rectangle, then longer.
    #expect(try change(0, insert(1, "a")) == 0)
    #expect(try change(0, insert(1, "b")) == 100)
    #expect(try change(100, insert(2, "c")) == 300)
    #expect(try change(299.5, .resize(key: "s-0", size: Size(width: 150, height: 150))) == 350)
    // The end is a point out of sight.
    #expect(try change(349, insert(1, "d")) == 349)
    #expect(try change(450, insert(1, "e"), .cell) == 450)
    // Beyond the end, and at the end of content that becomes shorter, or empty.
    #expect(try change(600, insert(1, "f")) == 650)
    #expect(try change(650, .delete(keys: ["f0", "e0"])) == 450)
    let rest = ["s-0", "s-1", "a0", "b0", "c0", "c1", "d0"]
    #expect(try change(450, .delete(keys: Array(rest.dropFirst()))) == 0)
    #expect(try change(0, .delete(keys: ["s-0"])) == 0)
    #expect(try change(0, insert(9, "g")) == 600)
  }
}
