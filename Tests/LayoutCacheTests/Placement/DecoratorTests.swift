import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import Testing

@testable import LayoutCache

/// Rules for additional elements on any kind, and badges and decorations where the worlds do not
/// judge them.
@Suite struct DecoratorTests {
  private static let around = EdgeInsets(top: -3, left: -3, bottom: -3, right: -3)
  private static let within = EdgeInsets(top: 1, left: 1, bottom: 1, right: 1)

  /// A line at a position, and a frame around each item of a rectangle.
  private struct Now: SectionDecorator {
    static let kind = "now"
    let sectionKinds: Set<CustomElement.Kind> = [.decoration("now"), .decoration("frame")]
    let cellKinds: Set<CustomElement.Kind> = [.supplementary("mark")]
    let overhang: Length = 3
    let readsData = true
    private let y: Length
    private static let around = DecoratorTests.around

    struct Refusal: Error, CustomStringConvertible { let description = "y is missing" }

    init(options: [String: ConfigurationValue], in space: SectionSpace) throws {
      guard let y = options["y"]?.number else { throw Refusal() }
      self.y = .points(y)
    }

    func elements(in rect: Rect, of section: DecoratedSection) throws -> [CustomElement] {
      let frames = try section.items(in: rect.inset(by: Self.around)).map {
        CustomElement(
          kind: .decoration("frame"), index: $0.index, frame: $0.frame.inset(by: Self.around))
      }
      let last = try section.item(at: section.itemCount - 1)
      let line = Rect(x: 0, y: min(y, last?.frame.maxY ?? 0), width: 500, height: 1)
      return frames + [CustomElement(kind: .decoration("now"), frame: line, zIndex: 5)]
    }

    func elements(of cell: PlacedItem) -> [CustomElement] {
      if cell.item.data?["n"]?.number != 1 { return [] }
      let place = Rect(x: cell.frame.maxX - 2, y: cell.frame.minY - 3, width: 5, height: 5)
      return [CustomElement(kind: .supplementary("mark"), frame: place, zIndex: 1)]
    }
  }

  /// A waterfall of square items, each with a tag.
  private struct Tagged: WaterfallSectionLayout, SectionDecorator {
    static let kind = "tagged"
    let cellKinds: Set<CustomElement.Kind> = [.decoration("tag")]
    private static let within = DecoratorTests.within

    init(options: [String: ConfigurationValue]) {}

    func length(of item: LayoutItem, width: Length) -> Length { width }

    func elements(of cell: PlacedItem) -> [CustomElement] {
      [CustomElement(kind: .decoration("tag"), frame: cell.frame.inset(by: Self.within))]
    }
  }

  private static let layout = LayoutID("layout", of: "feed")

  private func cache(_ section: String, items: Int = 40) throws -> LayoutCache {
    let cache = try LayoutCache.temporary(
      sectionLayouts: TestKinds.all, waterfallLayouts: [Tagged.self], decorators: [Now.self])
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<items {
        try importer.add(
          Item(
            key: "i\(number)", width: 30, height: Double(20 + number % 7),
            data: ItemData(json: #"{"n":\#(number % 3)}"#)), section: "s")
      }
    }
    try set(section, in: cache)
    return cache
  }

  private func set(_ section: String, in cache: LayoutCache, _ members: String = "") throws {
    try cache.setLayout(
      Self.layout,
      to: ConfigurationText.decode(
        #"{"container":{"width":300,"height":200},\#(members)"section":\#(section)}"#))
  }

  private static let everything = Rect(x: -5000, y: -5000, width: 50_000, height: 50_000)

  @Test(arguments: [
    #""kind":"waterfall","columns":3"#, #""kind":"grid","columns":3"#, #""kind":"flow""#,
    #""kind":"justified","targetRowLength":50"#, #""kind":"carousel""#,
    #""kind":"circle","itemSize":{"width":9,"height":9}"#, #""kind":"timeline""#,
  ])
  func rulesDecorateEveryKind(_ kind: String) throws {
    let cache = try cache("{\(kind),\"decorators\":[{\"kind\":\"now\",\"options\":{\"y\":7}}]}")
    for step in 0..<3 {
      if step == 1 {
        try cache.update(
          "feed",
          with: [
            .delete(keys: ["i0", "i5"]), .resize(key: "i3", size: Size(width: 50, height: 90)),
            .hide(keys: ["i7"], .collapsed), .hide(keys: ["i8"], .hidden),
          ])
      } else if step == 2 {
        // Data alone: nothing is placed again, but the item is named with its elements.
        let commit = try cache.update("feed", with: [.data(key: "i9", ItemData(json: #"{"n":1}"#))])
        let context = try #require(commit.layouts[Self.layout.layout]?.context)
        if !kind.contains("timeline") { #expect(context.work.recomputedItems == 0) }
        let section = try #require(context.section(0))
        #expect(section.items.contains(7) && section.supplementaryElements.contains("mark"))
      }
      try expectElements(of: try cache.read(Self.layout) { $0 }, collapsedCount: step > 0 ? 1 : 0)
    }
  }

  private func expectElements(of snapshot: LayoutSnapshot, collapsedCount: Int) throws {
    let all = try snapshot.elements(in: Self.everything).elements
    let cells = all.filter { $0.representedElementKind == nil }
    let frames = all.filter { $0.category == .decoration(kind: "frame") }
    let marks = all.filter { $0.category == .supplementary(kind: "mark") }
    // Items outside the container of a carousel have frames, too, and so have hidden ones.
    #expect(frames.count == snapshot.itemCount - collapsedCount)
    #expect(all.filter { $0.category == .decoration(kind: "now") }.count == 1)
    for cell in cells {
      let place = cell.frame.inset(by: Self.around)
      #expect(frames.contains { $0.indexPath == cell.indexPath && $0.frame == place })
      let isMarked = try snapshot.data(at: cell.indexPath)?.json == #"{"n":1}"#
      #expect(marks.contains { $0.indexPath == cell.indexPath } == isMarked)
    }
    for mark in marks {
      let found = try snapshot.attributes(forSupplementary: "mark", at: mark.indexPath)
      #expect(found == mark)
    }
    for frame in frames {
      #expect(try snapshot.attributes(forDecoration: "frame", at: frame.indexPath) == frame)
    }
    let rect = Rect(x: 40, y: 30, width: 60, height: 25)
    let answer = try snapshot.elements(in: rect).elements
    #expect(answer == all.filter { $0.frame.intersects(rect) })
  }

  @Test func customWaterfallsDecorateTheirSections() throws {
    let cache = try cache(
      #"{"kind":"tagged","columns":2,"decorators":[{"kind":"now","options":{"y":0}}]}"#)
    try cache.read(Self.layout) { snapshot in
      let all = try snapshot.elements(in: Self.everything).elements
      let tags = all.filter { $0.category == .decoration(kind: "tag") }
      let cells = all.filter { $0.representedElementKind == nil }
      #expect(tags.map(\.frame) == cells.map { $0.frame.inset(by: Self.within) })
      #expect(all.count { $0.category == .decoration(kind: "now") } == 1)
    }
  }

  // A cell of 100 by 50 points at (10, 20) in the content before mirroring.
  @Test(arguments: [
    ("topTrailing", 94.0, 22.0), ("leading", 14.0, 38.0), ("center", 54.0, 38.0),
    ("bottomLeading", 14.0, 54.0), ("bottom", 54.0, 54.0),
  ])
  func badgesLieAtTheirAnchors(_ anchor: String, _ x: Double, _ y: Double) throws {
    let badge = """
      [{"kind":"dot","anchor":"\(anchor)","size":{"width":20,"height":18},"offset":{"x":4,"y":2}}]
      """
    for direction in ["vertical", "horizontal"] {
      for reading in [LayoutConfiguration.LayoutDirection.leftToRight, .rightToLeft] {
        let cache = try cache(#"{"kind":"flow"}"#, items: 1)
        try set(
          """
          {"kind":"flow","lineAlignment":"leading","itemSize":{"width":100,"height":50},
           "inset":{"left":10,"top":20},"badges":\(badge)}
          """, in: cache, #""scrollDirection":"\#(direction)","#)
        try cache.read(Self.layout) { snapshot in
          let snapshot = snapshot.reading(reading)
          let cell = try #require(try snapshot.attributes(forKey: "i0"))
          let found = try #require(
            try snapshot.attributes(forSupplementary: "dot", at: cell.indexPath))
          let left = direction == "vertical" && reading == .leftToRight || reading == .leftToRight
          let fromCell = x - 10
          let start =
            left
            ? cell.frame.minX.points + fromCell : cell.frame.maxX.points - fromCell - 20
          #expect(found.frame.minX.points == start)
          #expect(found.frame.minY.points - cell.frame.minY.points == y - 20)
          #expect(found.frame.size == Size(width: 20, height: 18))
        }
      }
    }
  }

  @Test func runsAreFoundWithoutAPassOverThem() throws {
    let cache = try cache(
      """
      {"kind":"grid","columns":2,"rowLength":10,
       "decorations":[{"kind":"row","place":"run","count":2},{"kind":"all","place":"section"}]}
      """, items: 20_000)
    try cache.read(Self.layout) { snapshot in
      let page = try snapshot.elements(in: Rect(x: 0, y: 50_000, width: 10, height: 25))
      let rows = page.elements.filter { $0.category == .decoration(kind: "row") }
      #expect(rows.map(\.indexPath.item) == [5000, 5001, 5002])
      #expect(page.work.nodesVisited < 40)
      #expect(try snapshot.attributes(forDecoration: "row", at: rows[1].indexPath) == rows[1])
      for item in [-1, 10_000, .max] {
        #expect(
          try snapshot.attributes(forDecoration: "row", at: .init(section: 0, item: item)) == nil)
      }
      #expect(
        try snapshot.attributes(forDecoration: "all", inSection: 0)?.frame
          == Rect(x: 0, y: 0, width: 300, height: 100_000))
      let transition = try snapshot.transition(
        to: snapshot, in: Rect(x: 0, y: 0, width: 300, height: 30),
        becoming: Rect(x: 0, y: 90_000, width: 300, height: 30))
      #expect(
        transition.appearing.contains {
          $0.change == .none && $0.final.indexPath.item == 9001
            && $0.final.category == .decoration(kind: "row") && $0.initial == $0.final
        })
    }
  }

  @Test(arguments: [
    (#""decorators":[{"kind":"nov"}]"#, "'now'"),
    (#""decorators":[{"kind":"now"}]"#, "y is missing"),
    (
      #""decorators":[{"kind":"now","options":{"y":1}},{"kind":"now","options":{"y":2}}]"#,
      "'frame'"
    ),
    (
      #""background":{"kind":"a"},"decorations":[{"kind":"a","place":"content"}]"#,
      "the background and decorations.0"
    ),
    (#""badges":[{"kind":"footer","size":{"width":1,"height":1}}]"#, "the footer and badges.0"),
    (#""badges":[{"kind":"a","size":{"width":0,"height":1}}]"#, "width"),
    (#""badges":[{"kind":"a","size":{"width":1,"height":1001}}]"#, "height"),
    (#""badges":[{"kind":"a","size":{"width":1,"height":1},"offset":{"x":1000.5}}]"#, "x"),
    (#""badges":[{"kind":"a","size":{"width":1,"height":1},"when":"n ="}]"#, "character"),
    (#""badges":[{"kind":"a","size":{"width":1,"height":1},"anchor":"topp"}]"#, "'top'"),
    (#""decorations":[{"kind":"a","place":"run","count":0}]"#, "count"),
    (#""decorations":[{"kind":"a","place":"run"}]"#, "'count' is missing"),
    (#""decorations":[{"kind":"a","place":"section","length":1}]"#, "length"),
    (#""decorations":[{"kind":"a","place":"separator","length":0}]"#, "length"),
  ])
  func invalidElementsAreRejected(_ members: String, _ named: String) throws {
    let kind = members.contains(#""kind":"carousel""#) ? "" : #""kind":"grid","#
    let cache = try cache("{}", items: 1)
    let error = #expect(throws: (any Error).self) { try set("{\(kind)\(members)}", in: cache) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(named), "\(String(describing: error))")
  }
}
