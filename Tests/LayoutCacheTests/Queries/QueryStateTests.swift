import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The state that a query caches for the snapshot's next query saves its work; worlds compare the
/// answers.
@Suite struct QueryStateTests {
  private static let side: Int64 = 64_000

  /// A square of the container's width at a position in points.
  private func square(at y: Int64) -> Rect {
    Rect(
      x: .zero, y: Length(units: y * 64), width: Length(units: Self.side),
      height: Length(units: Self.side))
  }

  /// Returns the nodes that queries at positions in points visit, one after the other.
  private func works(
    at positions: [Int64], of snapshot: LayoutSnapshot
  ) throws -> [Int] {
    try positions.map { try snapshot.elements(in: square(at: $0)).work.nodesVisited }
  }

  @Test func aFurtherQueryInASectionSkipsTheSectionSearch() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 10_000))],
      configuration: #"{"container":{"width":1000},"section":{"columns":5}}"#)
    let cache = try LayoutCache(path: feed.path)
    try cache.read(LayoutID("layout", of: "feed")) { snapshot in
      let works = try works(at: [0, 100_000, 0], of: snapshot)
      // A path of three in the items and in the columns; the first time a node of each of
      // the two trees of sections.
      #expect(works[0] == 8)
      #expect(works[2] == 6)
    }
  }

  @Test func scrollingVisitsNodesOnceInAScreen() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 10_000))],
      configuration: #"{"container":{"width":1000},"section":{"columns":5}}"#)
    try feed.read { snapshot in
      // The same position visits none. The second one searches a screen ahead, down to 2,250.
      let down = try works(at: [0, 0, 250, 500, 750, 1000, 1250], of: snapshot)
      #expect(down.map { $0 > 0 } == [true, false, true, false, false, false, false])
      let further = try works(at: [1500, 1250, 1000, 750, 500, 250], of: snapshot)
      #expect(further.map { $0 > 0 } == [true, false, true, false, false, false])
    }
  }

  @Test(arguments: [
    #"{"container":{"width":1000},"section":{"columns":5,"header":20,"pinsHeader":true}}"#,
    #"{"container":{"width":1000},"effect":{"kind":"coverStack"},"section":{"columns":5}}"#,
  ])
  func answersThatDependOnTheBoundsAreNotPartsOfOthers(configuration: String) throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 10_000))],
      configuration: configuration)
    try feed.read { snapshot in
      let works = try works(at: [0, 0, 100, 200, 300, 200], of: snapshot)
      #expect(works.map { $0 > 0 } == [true, false, true, true, true, true])
      // Visible bounds without a length have no effect, which other bounds have.
      let all = Rect(x: .zero, y: .zero, width: Length(units: Self.side), height: 9000)
      _ = try snapshot.elements(in: all, visible: Rect(x: 0, y: 5, width: 9, height: 0), limit: 512)
      #expect(try self.works(at: [300], of: snapshot)[0] > 0)
    }
  }

  @Test func longAnswersAreNotStored() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 10), count: 10_000))],
      configuration: #"{"container":{"width":1000},"section":{"columns":10}}"#)
    try feed.read { snapshot in
      let page = try snapshot.elements(in: square(at: 0))
      #expect(page.elements.count > 512)
      #expect(try works(at: [0, 0], of: snapshot).allSatisfy { $0 > 0 })
    }
  }
}
