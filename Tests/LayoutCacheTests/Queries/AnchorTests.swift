import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct AnchorTests {
  /// An anchor is a value that a client sends back.
  @Test(arguments: [Int64.min >> 10, -1, 0, 1, 1 << 53])
  func anyAnchorGivesAnOffsetWithinTheContent(units: Int64) throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 20))],
      configuration: #"{"container":{"width":100,"height":300},"section":{"columns":1}}"#)
    let numbers = [units, -units, 0, 1, 1 << 53].map { Length(units: $0) }
    try test.read { snapshot in
      for start in numbers {
        for length in numbers {
          for visibleLength in numbers {
            let anchor = LayoutAnchor(
              cells: [
                .init(key: "none", start: 0, length: 1),
                .init(key: "s-7", start: start, length: length),
              ],
              visibleLength: visibleLength)
            let kept = try #require(try snapshot.contentOffset(keeping: anchor))
            #expect((Length.zero...1700).contains(kept.contentOffset.y))
            #expect(kept.key == "s-7")
          }
        }
      }
    }
  }

  @Test func anItemIsScrolledToTheRequestedPosition() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 20))],
      configuration: #"{"container":{"width":100,"height":300},"section":{"columns":1}}"#)
    try test.read { snapshot in
      let offsets = try [("s-5", Length.points(40)), ("s-5", -20), ("s-0", 40), ("s-19", 0)].map {
        try snapshot.contentOffset(placing: $0, at: $1)
      }
      #expect(
        offsets == [
          AnchoredOffset(contentOffset: Point(x: 0, y: 460), key: "s-5", isExact: true),
          AnchoredOffset(contentOffset: Point(x: 0, y: 520), key: "s-5", isExact: true),
          AnchoredOffset(contentOffset: Point(x: 0, y: 0), key: "s-0", isExact: false),
          AnchoredOffset(contentOffset: Point(x: 0, y: 1700), key: "s-19", isExact: false),
        ])
      #expect(try snapshot.contentOffset(placing: "none", at: 0) == nil)
    }
  }
}
