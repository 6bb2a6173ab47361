import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Inputs that break common layout programs: cases specific to lines.

@Suite struct LineTrapTests {
  private func points(_ points: Double) -> Length { Length(units: Int64(points * 64)) }

  private func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
    Rect(x: points(x), y: points(y), width: points(width), height: points(height))
  }

  private func feed(
    _ sizes: [(Double, Double)], _ section: String, width: Double = 200
  ) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: sizes)],
      configuration: #"{"container":{"width":\#(width)},"section":{\#(section)}}"#)
  }

  private func items(_ feed: TestFeed, _ rect: Rect) throws -> [Int] {
    try feed.read { try $0.elements(in: rect).elements.compactMap(\.indexPath.item) }
  }

  @Test func theTallItemOfALineIsReturnedInEveryLine() throws {
    let sizes = (0..<200).flatMap { _ in [(100.0, 300.0), (100.0, 20.0)] }
    let feed = try feed(sizes, #""kind":"flow","crossAlignment":"top""#)
    for line in 0..<200 {
      #expect(try items(feed, rect(0, Double(line) * 300 + 299, 200, 1)) == [line * 2])
      #expect(
        try items(feed, rect(0, Double(line) * 300 + 19, 200, 1)) == [line * 2, line * 2 + 1])
    }
  }

  @Test func aGrownItemHidesNothingFurtherDown() throws {
    var sizes = Array(repeating: (100.0, 100.0), count: 1000)
    let plain = try feed(sizes, #""kind":"flow","crossAlignment":"top""#)
    sizes[1] = (100, 1_000_000)
    let feed = try feed(sizes, #""kind":"flow","crossAlignment":"top""#)
    #expect(try items(feed, rect(0, 999_950, 200, 100)) == [1, 2, 3])
    #expect(try items(feed, rect(0, 1_010_000, 200, 100)) == [202, 203])
    let works = try [(plain, 10_100.0), (feed, 1_010_000)].map { feed, y in
      try feed.read { snapshot in
        // The first query of a snapshot also looks its section up.
        _ = try snapshot.elements(in: rect(0, 0, 200, 100))
        return try snapshot.elements(in: rect(0, y, 200, 100)).work.nodesVisited
      }
    }
    #expect(works[0] == works[1])
  }

  @Test func itemsOfTheLeastSizeAreAllFound() throws {
    // 12,800 in a line of 200 points, and the rest.
    let feed = try feed(
      Array(repeating: (0.015625, 0.015625), count: 20_000), #""kind":"flow""#)
    #expect(try feed.read { $0.contentSize.height.units } == 2)
    #expect(try items(feed, rect(100, 0, 1, 1)) == Array(6400..<6464) + Array(19_200..<19_264))
    let commit = try feed.cache.update("feed", with: [.delete(keys: ["s-0"])])
    #expect(commit.layouts.first?.context.work.recomputedItems == 19_999)
    #expect(try items(feed, rect(199, 0, 1, 1)) == Array(12_736..<12_800))
  }

  @Test func rowsOfTheLeastLengthAreAllFound() throws {
    let feed = try feed(
      Array(repeating: (200, 1), count: 20_000),
      #""kind":"justified","targetRowLength":0.015625"#, width: 1)
    try feed.read { snapshot in
      #expect(snapshot.contentSize.height.units == 20_000)
      let page = try snapshot.elements(in: rect(0, 100, 1, 1))
      #expect(page.elements.compactMap(\.indexPath.item) == Array(6400..<6464))
      #expect(page.work.nodesVisited < 20)
    }
  }

  @Test func extremeRatiosAreExactInLines() throws {
    let sizes: [(Double, Double)] = [(4000, 1), (1, 600)]
    let flow = try feed(sizes, #""kind":"flow","lineLength":100,"lineAlignment":"leading""#)
    // 100 / 600 point is 10.67 units.
    #expect(
      try OracleElement.all(of: flow.cache).map(\.frame) == [
        UnitRect(x: 0, y: 0, width: 12_800, height: 6400),
        UnitRect(x: 0, y: 6400, width: 10, height: 6400),
      ])
    let justified = try feed(sizes, #""kind":"justified","targetRowLength":100"#)
    // 200 / 4000 point is 3.2 units.
    #expect(
      try OracleElement.all(of: justified.cache).map(\.frame) == [
        UnitRect(x: 0, y: 0, width: 12_800, height: 3),
        UnitRect(x: 0, y: 3, width: 10, height: 6400),
      ])
  }

  @Test(arguments: [0.0, 4, 10, 0.015625])
  func aJustifiedRowEndsAtTheInsetExactly(spacing: Double) throws {
    let ratios = [1.78, 1.78, 1.68, 1.78]
    // A fifth item, so that the row is not the last.
    let sizes = (ratios + [1]).map { ($0 * 100, 100.0) }
    let feed = try feed(
      sizes, #""kind":"justified","targetRowLength":150,"spacing":\#(spacing)"#, width: 1000)
    let cells = try OracleElement.all(of: feed.cache)
    #expect(cells[0].x == 0)
    #expect(cells[3].x + cells[3].width == 64_000)
    #expect(Set(cells[0...3].map(\.y)) == [0])
    for (one, next) in zip(cells[0...2], cells[1...3]) {
      #expect(next.x - (one.x + one.width) == Int64(spacing * 64))
    }
    #expect(cells[4].y == cells[0].height + Int64(spacing * 64))
  }

  @Test func anOnlyRowEndsAtTheInsetExactly() throws {
    let sizes = [1.78, 1.78, 1.68, 1.78].map { ($0 * 100, 100.0) }
    let feed = try feed(sizes, #""kind":"justified","targetRowLength":150"#, width: 1000)
    let cells = try OracleElement.all(of: feed.cache)
    #expect(cells.map(\.y) == [0, 0, 0, 0])
    #expect(cells[3].x + cells[3].width == 64_000)
  }

  @Test func anItemWiderThanTheLineIsAloneInIt() throws {
    let feed = try feed(
      [(50, 10), (500, 20), (50, 10), (200, 10), (50, 10)],
      #""kind":"flow","lineAlignment":"leading","crossAlignment":"top""#)
    #expect(
      try OracleElement.all(of: feed.cache).map(\.frame) == [
        UnitRect(x: 0, y: 0, width: 3200, height: 640),
        UnitRect(x: 0, y: 640, width: 12_800, height: 1280),
        UnitRect(x: 0, y: 1920, width: 3200, height: 640),
        UnitRect(x: 0, y: 2560, width: 12_800, height: 640),
        UnitRect(x: 0, y: 3200, width: 3200, height: 640),
      ])
  }

  @Test func aLastRowIsLimitedToItsMaximumLength() throws {
    // To fill the line, an item of 1/64 x 1,000,000 points would be 2^26 x 10^6 points long.
    let feed = try feed(
      [(0.015625, 1_000_000)],
      #""kind":"justified","targetRowLength":1000000,"maximumRowLength":1000000,"lastRow":"fill""#,
      width: 1_000_000)
    #expect(try feed.read { $0.contentSize.height } == points(1_000_000))
  }
}
