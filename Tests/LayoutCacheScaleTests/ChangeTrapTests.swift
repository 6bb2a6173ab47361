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
    mutating func apply(_ batch: [OracleOperation], visible: Rect? = nil) throws -> Commit {
      try oracle.apply(batch)
      let commit = try test.cache.update(
        "feed", with: batch.map { try BatchOperation($0) }, visible: visible)
      #expect(commit.layouts.count == 1)
      #expect(try OracleElement.all(of: test.cache) == OracleElement.all(of: oracle.oracle))
      return commit
    }
  }

  /// More edits of one section than are kept apart.
  @Test(arguments: [
    KindExample.exactWaterfall, .flow, .matchedJustified, .carousel,
    KindExample(name: "custom", members: #""kind":"timeline""#),
  ])
  func thousandsOfEditsInOneBatchEqualAFreshLayout(kind: KindExample) throws {
    var pair = try Pair([.mixed("s", count: 6000)], kind.configuration())
    var generator = SeededGenerator(seed: 3)
    var keys = (0..<6000).map { "s-\($0)" }
    var batch: [OracleOperation] = []
    for number in 0..<3300 {
      let place = Int.random(in: keys.indices, using: &generator)
      let sides = (0..<2).map { _ in Double(Int.random(in: 15...99, using: &generator)) }
      switch number % 3 {
      case 0: batch.append(.delete(keys: [keys.remove(at: place)]))
      case 1: batch.append(.resize(key: keys[place], width: sides[0], height: sides[1]))
      default:
        let item = OracleItem(key: "n-\(number)", width: sides[0], height: sides[1])
        batch.append(.insert(items: [item], at: .before(keys[place])))
        keys.insert(item.key, at: place)
      }
    }
    let work = try #require(try pair.apply(batch).layouts.first).context.work
    #expect(work.recomputedItems <= keys.count, "no item is placed twice")
    #expect(try pair.test.cache.verify().problems.isEmpty)
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
      [.insert(items: OracleSection.mixed("p", count: 40).items, at: .index(0, section: "s"))],
      visible: visible)
    let after = try #require(pair.oracle.oracle.element(key: first.key ?? ""))
    let adjustment = try #require(commit.layouts.first).context.contentOffsetAdjustment
    #expect(adjustment == Point(x: .zero, y: Length(units: after.y - first.y)))
    #expect(adjustment.y > .zero)
  }

  @Test func duplicateOrUnknownKeysRefuseTheWholeBatch() throws {
    let pair = try Pair([.mixed("s", count: 60)], KindExample.waterfall.configuration())
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
