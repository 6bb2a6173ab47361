import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// Elements with a position but no extent: they are found by name, but no rectangle or point
/// meets them.
@Suite struct EmptyFrameTests {
  /// Items one below the other; those of a span other than 1 are a line, a mark or a point.
  struct Marks: SectionLayout {
    static let kind = "marks"
    private let line: Range<Length>

    init(options: [String: ConfigurationValue], in space: SectionSpace) { line = space.line }

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let isNarrow = item.columnSpan % 2 == 0
      let isShort = item.columnSpan > 2
      return ItemPlacement(
        frame: Rect(
          x: line.lowerBound, y: .zero, width: isNarrow ? .zero : line.upperBound - line.lowerBound,
          height: isShort ? .zero : item.size.height),
        advance: item.size.height)
    }
  }

  private static let everything = UnitRect(x: -64_000, y: -64_000, width: 640_000, height: 640_000)

  /// The items that rectangles and points find, each of which must have an extent.
  private func expectFound(_ items: [Int], _ feed: TestFeed) throws {
    try feed.read { snapshot in
      for visible in [nil, Rect(x: 0, y: 30, width: 100, height: 50)] as [Rect?] {
        let page = try snapshot.elements(in: Rect(Self.everything), visible: visible)
        #expect(page.elements.compactMap(\.indexPath.item) == items)
        #expect(page.elements.allSatisfy { !$0.frame.isEmpty })
      }
      for item in 0..<snapshot.itemCount where !items.contains(item) {
        let path = IndexPath(section: 0, item: item)
        let attributes = try #require(try snapshot.attributes(at: path))
        #expect(attributes.frame.isEmpty)
        for visible in [nil, Rect(Self.everything)] as [Rect?] {
          let found = try snapshot.element(at: attributes.frame.origin, visible: visible)
          #expect(found?.indexPath.item != item)
        }
      }
    }
  }

  @Test(arguments: [
    "", #","effect":{"kind":"scale"}"#, #","effect":{"kind":"coverStack"}"#,
    #","effect":{"kind":"rotary"}"#, #","layoutDirection":"rightToLeft""#,
    #","scrollDirection":"horizontal""#,
  ])
  func emptyItemsOfACustomKindAreNotFound(rest: String) throws {
    var section = OracleSection("s", sizes: Array(repeating: (20, 20), count: 8))
    for (item, span) in [1, 2, 3, 4, 1, 4, 3, 1].enumerated() { section.items[item].span = span }
    let feed = try TestFeed(
      [section],
      configuration: """
        {"container":{"width":100,"height":100},"section":{"kind":"marks"}\(rest)}
        """, kinds: [Marks.self])
    try expectFound([0, 4, 7], feed)
  }

  @Test func sliversOfAJustifiedRowAreNotFound() throws {
    // H(2) = 100 / (1 + 1 / 1000000) points, just below the target: the sliver runs from 0
    // to 0.0064 unit, and the square from there to the inset.
    let feed = try TestFeed(
      [OracleSection("s", sizes: [(1, 1_000_000), (50, 50), (50, 50)])],
      configuration: #"""
        {"container":{"width":100},"section":{"kind":"justified","targetRowLength":100}}
        """#)
    try expectFound([1, 2], feed)
    try feed.read { snapshot in
      let frames = try (0..<3).map {
        try snapshot.attributes(at: IndexPath(section: 0, item: $0))?.frame
      }
      let length = Length(units: 6399)
      #expect(frames[0] == Rect(x: 0, y: 0, width: 0, height: length))
      #expect(frames[1] == Rect(x: 0, y: 0, width: 100, height: length))
      #expect(frames[2] == Rect(x: 0, y: length, width: 100, height: 100))
    }
  }

  @Test func aBackgroundUsedUpByItsInsetIsNotFound() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: [(50, 50)])],
      configuration: #"""
        {"container":{"width":100},
         "section":{"kind":"grid","columns":1,"rowLength":50,
           "background":{"kind":"card","inset":{"left":60,"right":40},"zIndex":9}}}
        """#)
    try expectFound([0], feed)
    try feed.read { snapshot in
      let card = try snapshot.attributes(forDecoration: "card", inSection: 0)
      #expect(card?.frame == Rect(x: 60, y: 0, width: 0, height: 50))
      #expect(try snapshot.element(at: Point(x: 60, y: 10))?.indexPath.item == 0)
    }
  }
}
