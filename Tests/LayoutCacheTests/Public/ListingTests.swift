import TestSupport
import Testing

@testable import LayoutCache

// Strategy: datasets and layouts with random names, whose bytes differ in any position, are
// listed in pages by every kind of bound, and compared with the sorted names.

@Suite struct ListingTests {
  private static let parts = [
    "a", "b", "-", "é", "ä", "Z", "0", " ", "\u{10FFFF}", "🙂", "ab", "_%",
  ]

  private func names(count: Int, using generator: inout SeededGenerator) -> [String] {
    var names: [String] = []
    while names.count < count {
      let length = Int.random(in: 1...4, using: &generator)
      let name = (0..<length).map { _ in Self.parts.randomElement(using: &generator)! }.joined()
      if !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { names.append(name) }
    }
    return names
  }

  private func sorted(_ names: [String]) -> [String] {
    names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func page(_ names: [String], prefix: String, after: String?, limit: Int) -> [String] {
    Array(
      sorted(names).filter { name in
        name.utf8.starts(with: prefix.utf8)
          && after.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true
      }.prefix(max(0, limit)))
  }

  private func expectSame(_ found: [String], _ expected: [String], _ comment: Comment? = nil) {
    #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, comment)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func aPageHasTheNamesWithinItsBounds(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let cache = try LayoutCache.temporary()
    let datasets = names(count: 25, using: &generator)
    for name in datasets { try cache.createDataset(name) }
    let layouts = names(count: 20, using: &generator)
    let configuration = try ConfigurationText.decode(#"{"container":{"width":300}}"#)
    for name in layouts {
      let set = try cache.setLayout(LayoutID(name, of: datasets[0]), to: configuration)
      #expect(set.isNew && set.layout.name == name)
    }
    // A layout of another dataset, which must not be listed.
    try cache.setLayout(LayoutID("a", of: datasets[1]), to: configuration)
    let bounds =
      [nil, ""] + datasets.map(Optional.some) + layouts.map(Optional.some)
      + Self.parts.map(Optional.some)
    for _ in PropertyRun.each(seed, steps: 200) {
      let after = bounds.randomElement(using: &generator)!
      let prefix = ["", "", bounds.randomElement(using: &generator)! ?? ""]
        .randomElement(using: &generator)!
      let limit = [-1, 0, 1, 2, 7, 100, Int.max, Int.min].randomElement(using: &generator)!
      let comment: Comment = "'\(prefix)' \(after ?? "-") \(limit)"
      let expected = page(datasets, prefix: prefix, after: after, limit: limit)
      expectSame(
        try cache.datasets(prefix: prefix, after: after, limit: limit).map(\.name), expected,
        comment)
      expectSame(
        try cache.datasetNames(prefix: prefix, after: after, limit: limit), expected, comment)
      expectSame(
        try cache.layouts(of: datasets[0], after: after, limit: limit).map(\.name),
        page(layouts, prefix: "", after: after, limit: limit), comment)
    }
    expectSame(try cache.layoutNames(of: datasets[0]), sorted(layouts))
    #expect(try cache.inspect().datasetCount == 25)
  }
}
