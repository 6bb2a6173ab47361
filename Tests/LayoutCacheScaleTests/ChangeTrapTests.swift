import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Inputs that break common layout programs: changes, for every kind.

@Suite struct ChangeTrapTests {
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
}
