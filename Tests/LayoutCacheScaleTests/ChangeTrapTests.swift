import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Inputs that break common layout programs: changes, for every kind.

@Suite struct ChangeTrapTests {
  private func points(_ points: Double) -> Length { Length(units: Int64(points * 64)) }

  /// A feed of some sections, laid out, in the engine and in the oracle.
  private struct Pair {
    let test: TestFeed
    var oracle: OracleFeed

    init(_ sections: [OracleSection], _ configuration: String) throws {
      test = try TestFeed(sections, configuration: configuration)
      oracle = try OracleFeed(configuration: configuration, sections: sections)
      try test.read { _ in }
    }

    /// Applies a batch in both, and compares all elements.
    @discardableResult
    mutating func apply(_ batch: OracleOperation..., visible: Rect? = nil) throws -> Commit {
      try oracle.apply(batch)
      let commit = try test.cache.update(
        "feed", with: batch.map { try BatchOperation($0) }, visible: visible)
      #expect(commit.layouts.count == 1)
      #expect(try OracleElement.all(of: test.cache) == OracleElement.all(of: oracle.oracle))
      return commit
    }
  }

  private func items(_ prefix: String, _ count: Int) -> [OracleItem] {
    OracleSection.mixed(prefix, count: count).items
  }

  @Test(arguments: KindExample.every)
  func appendingAfterDeletingEverythingRestoresTheLayout(kind: KindExample) throws {
    var pair = try Pair([.mixed("s", count: 200)], kind.configuration())
    let first = try OracleElement.all(of: pair.test.cache)
    try pair.apply(.delete(keys: (0..<200).map { "s-\($0)" }))
    #expect(try OracleElement.all(of: pair.test.cache).isEmpty)
    try pair.apply(.insert(items: items("s", 200), at: .end(section: "s")))
    #expect(try OracleElement.all(of: pair.test.cache) == first)
    #expect(try pair.test.cache.verify().problems.isEmpty)
  }

  @Test(arguments: KindExample.every)
  func sectionsAndItemsCanBeAddedToAnEmptyFeed(kind: KindExample) throws {
    var pair = try Pair([], kind.configuration())
    try pair.apply(.insertSection(key: "s"))
    try pair.apply(.insert(items: items("s", 70), at: .end(section: "s")))
    try pair.apply(.deleteSection(key: "s"))
    try pair.apply(.insertSection(key: "s"), .insert(items: items("s", 9), at: .end(section: "s")))
    #expect(try pair.test.cache.verify().problems.isEmpty)
  }

  @Test(arguments: KindExample.every)
  func anyEditEqualsAFreshLayout(kind: KindExample) throws {
    var pair = try Pair(
      [.mixed("s", count: 150), .mixed("t", count: 20)], kind.configuration())
    for item in [0, 1, 64, 75, 148, 149] {
      let key = "s-\(item)"
      try pair.apply(.resize(key: key, width: 7, height: 300))
      try pair.apply(.resize(key: key, width: 199, height: 1))
      try pair.apply(.insert(items: items("b\(item)", 5), at: .before(key)))
      try pair.apply(.delete(keys: ["b\(item)-2", key, "b\(item)-0"]))
      try pair.apply(.insert(items: items("a\(item)", 3), at: .after("b\(item)-4")))
    }
    #expect(try pair.test.cache.verify().problems.isEmpty)
  }

  @Test(arguments: KindExample.every)
  func movesForwardAndBackwardAndAcrossSectionsEqualAFreshLayout(kind: KindExample) throws {
    var pair = try Pair(
      [.mixed("s", count: 100), .mixed("t", count: 10), OracleSection("empty", sizes: [])],
      kind.configuration())
    try pair.apply(.move(key: "s-3", to: .index(80, section: "s")))
    try pair.apply(.move(key: "s-90", to: .index(0, section: "s")))
    try pair.apply(.move(key: "s-50", to: .after("s-51")))
    try pair.apply(.move(key: "s-50", to: .before("s-51")))
    try pair.apply(.move(key: "s-99", to: .index(0, section: "t")))
    try pair.apply(.move(key: "t-9", to: .end(section: "s")))
    try pair.apply(.move(key: "t-0", to: .end(section: "empty")))
    try pair.apply(.moveSection(key: "empty", index: 0))
    #expect(try pair.test.cache.verify().problems.isEmpty)
  }

  @Test(arguments: KindExample.growing)
  func anAppendedPageMovesNothingBeforeTheLastLine(kind: KindExample) throws {
    var pair = try Pair([.mixed("s", count: 199)], kind.configuration())
    let before = try OracleElement.all(of: pair.test.cache)
    try pair.apply(.insert(items: items("p", 40), at: .end(section: "s")))
    let after = try OracleElement.all(of: pair.test.cache)
    #expect(after.count == 239)
    // An open line accepts items, and may be closed by them.
    let lastLine = KindExample.lines.map(\.name).contains(kind.name) ? before.last?.y : nil
    let open = lastLine.map { y in before.filter { $0.y + $0.height > y }.count } ?? 0
    #expect(open < 8)
    #expect(after.prefix(199 - open) == before.prefix(199 - open))
  }

  @Test(arguments: KindExample.growing)
  func insertingFortyItemsAboveKeepsTheFirstVisibleCell(kind: KindExample) throws {
    var pair = try Pair([.mixed("s", count: 900)], kind.configuration())
    let height = try pair.test.read { $0.contentSize.height.units }
    let visible = Rect(
      x: .zero, y: Length(units: height / 2), width: points(200), height: points(150))
    let first = try #require(
      pair.oracle.oracle.elements(
        in: UnitRect(x: 0, y: height / 2, width: 12_800, height: 9600)
      ).first { $0.y >= height / 2 })
    let commit = try pair.apply(
      .insert(items: items("p", 40), at: .index(0, section: "s")), visible: visible)
    let after = try #require(pair.oracle.oracle.element(key: first.key ?? ""))
    let adjustment = try #require(commit.layouts.first).context.contentOffsetAdjustment
    #expect(adjustment == Point(x: .zero, y: Length(units: after.y - first.y)))
    #expect(adjustment.y > .zero)
  }

  @Test(arguments: [
    "\"kind\":\"waterfall\",\"columns\":1,\"itemLength\":\"natural\"", "\"kind\":\"flow\"",
  ])
  func growthAboveOrAcrossTheEdgeAdjustsTheOffset(
    members: String
  ) throws {
    var pair = try Pair(
      [OracleSection("s", sizes: Array(repeating: (150, 100), count: 20))],
      KindExample(name: "", members: members).configuration())
    let visible = Rect(x: .zero, y: points(550), width: points(200), height: points(150))
    func adjustment(_ key: String) throws -> Point {
      let commit = try pair.apply(
        .resize(key: key, width: 150, height: 130), visible: visible)
      return try #require(commit.layouts.first).context.contentOffsetAdjustment
    }
    #expect(try adjustment("s-2") == Point(x: .zero, y: points(30)))
    // Item 5 lies from 530 to 630 now.
    #expect(try adjustment("s-5") == Point(x: .zero, y: points(30)))
    #expect(try adjustment("s-9") == .zero)
  }

  @Test(arguments: KindExample.measured)
  func deleteAndInsertInOneBatchDropsThePreferredLength(kind: KindExample) throws {
    var pair = try Pair([.mixed("s", count: 60)], kind.configuration())
    let fresh = try OracleElement.all(of: pair.test.cache)
    try pair.apply(.prefer(key: "s-30", length: 6400))
    try pair.apply(
      .delete(keys: ["s-30"]), .insert(items: [items("s", 60)[30]], at: .after("s-29")))
    if !kind.name.hasPrefix("waterfall") {
      #expect(try OracleElement.all(of: pair.test.cache) == fresh)
    }
  }

  @Test(arguments: KindExample.every)
  func duplicateOrUnknownKeysRefuseTheWholeBatch(kind: KindExample) throws {
    let pair = try Pair([.mixed("s", count: 60)], kind.configuration())
    let before = try OracleElement.all(of: pair.test.cache)
    let new = try Item(key: "new", width: 1, height: 1)
    let resize = BatchOperation.resize(key: "s-1", size: Size(width: points(9), height: points(9)))
    for (batch, key) in [
      ([resize, .insert([new, new], at: .end(section: "s"))], "new"),
      ([resize, .insert([try Item(key: "s-5", width: 1, height: 1)], at: .before("s-0"))], "s-5"),
      ([resize, .delete(keys: ["s-3", "s-3"])], "s-3"),
      ([resize, .delete(keys: ["unknown"])], "unknown"),
      ([resize, .move(key: "unknown", to: .before("s-0"))], "unknown"),
    ] {
      #expect {
        try pair.test.cache.update("feed", with: batch)
      } throws: { error in
        "\(error)".contains(key)
      }
    }
    #expect(try OracleElement.all(of: pair.test.cache) == before)
    #expect(try pair.test.cache.datasets().first?.revision == 1)
  }

  @Test(arguments: KindExample.every)
  func replacingEveryKeyButNoSizeKeepsTheFrames(kind: KindExample) throws {
    let section = OracleSection.mixed("s", count: 50)
    let feed = try TestFeed([section], configuration: kind.configuration())
    let before = try OracleElement.all(of: feed.cache).map(\.frame)
    var renamed = section
    for index in renamed.items.indices { renamed.items[index].key = "t-\(index)" }
    try feed.importItems([renamed], mode: .replace)
    let after = try OracleElement.all(of: feed.cache)
    #expect(after.map(\.frame) == before)
    #expect(after.map(\.key) == before.indices.map { "t-\($0)" })
  }

  @Test(arguments: [KindExample.waterfall, .exactWaterfall])
  func growthBelowASpanningItemCausesNoOverlap(kind: KindExample) throws {
    var section = OracleSection.mixed("s", count: 60)
    for index in stride(from: 4, to: 60, by: 7) { section.items[index].span = 2 }
    var pair = try Pair([section], kind.configuration())
    for item in [0, 3, 4, 5, 12, 40] {
      try pair.apply(.resize(key: "s-\(item)", width: 20, height: 200))
      let cells = try OracleElement.all(of: pair.test.cache)
      for (index, cell) in cells.enumerated() {
        #expect(!cells[..<index].contains { $0.frame.intersects(cell.frame) })
      }
    }
  }

  @Test(arguments: KindExample.every)
  func aReaderSeesOneWholeRevision(kind: KindExample) throws {
    var pair = try Pair([.mixed("s", count: 300)], kind.configuration())
    let before = try OracleElement.all(of: pair.test.cache)
    let snapshot = try pair.test.read { $0 }
    let other = try LayoutCache(path: pair.test.path)
    try pair.apply(
      .delete(keys: ["s-0"]), .resize(key: "s-150", width: 9, height: 300),
      .insert(items: items("p", 3), at: .end(section: "s")))
    #expect(try OracleElement.all(of: snapshot) == before)
    #expect(try OracleElement.all(of: other) == OracleElement.all(of: pair.oracle.oracle))
  }

  @Test func valuesCreatedInCodeHaveTheLimitsOfParsedOnes() throws {
    let configuration = KindExample.waterfall.configuration()
    let test = try TestFeed([.mixed("s", count: 3)], configuration: configuration)
    let (one, tooMuch) = (points(1), points(1_000_001))
    for (operation, reason) in [
      (
        .resize(key: "s-1", size: Size(width: .zero, height: one)),
        "width is 0; it must be at least 1/64"
      ),
      (
        .resize(key: "s-1", size: Size(width: one, height: tooMuch)),
        "height is 1000001; the limit is 1000000"
      ),
      (
        .resize(key: "s-1", size: Size(width: one, height: one), columnSpan: -1),
        "span is -1; the minimum is 0"
      ),
      (
        .prefer(layout: "layout", key: "s-1", length: .zero - one),
        "length is -1; it must be at least 1/64"
      ),
    ] as [(BatchOperation, String)] {
      #expect {
        try test.cache.update("feed", with: [operation])
      } throws: {
        "\($0)".contains("operation 1: item 's-1': \(reason)")
      }
    }
    #expect(try test.cache.verify().problems.isEmpty)
  }
}
