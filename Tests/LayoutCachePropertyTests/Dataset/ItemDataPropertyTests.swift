import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a random feed and configuration; random batches of every kind, with and without data,
// and changes of data. A dictionary has the expected data of each key. Between batches the cache
// is closed and reopened, abandoned without closing as by a killed process, opened with very
// little memory for nodes, or checkpointed, and two caches on the file take turns. Nodes have tiny
// or default sizes.
//
// Invariants: every item has the data in the dictionary, in pages, by key, by index path and in
// exports; the layout equals the oracle's, which has no data; verify is clean.

@Suite struct ItemDataPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func everyItemHasItsExpectedData(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in PropertyRun.each(seed, rounds: 3) {
      var source = RandomFeed(itemCountMax: round == 0 ? 300 : 30)
      let sections = source.sections(using: &generator)
      let text = RandomConfiguration(kinds: .all).text(
        sectionKeys: sections.map(\.key), using: &generator)
      var feed = try OracleFeed(configuration: text, sections: sections)
      var batches = RandomBatch(source: source)
      let options = LayoutCacheOptions.randomShapes(using: &generator)
      let test = try TestFeed(sections, configuration: text, options: options)
      var caches = [test.cache, try LayoutCache(path: test.path, options: options)]
      func open(_ options: LayoutCacheOptions) throws -> LayoutCache {
        try LayoutCache(path: test.path, options: options, sectionLayouts: TestKinds.all)
      }
      caches[1] = try open(options)
      var expected = CarriedData(oneIn: [1, 3, 20].randomElement(using: &generator)!)
      _ = try OracleElement.all(of: caches[0])
      for _ in PropertyRun.each(seed, steps: 12) {
        let origin: Comment = "\(text)"
        let oracles = generator.oneIn(4) ? [] : batches.next(for: feed, using: &generator)
        let batch = try expected.batch(oracles, on: feed, using: &generator)
        if !oracles.isEmpty { try feed.apply(oracles) }
        if oracles.isEverything { try feed.layOutFromScratch() }
        let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
        let writer = Int.random(in: 0..<2, using: &generator)
        try caches[writer].update("feed", with: batch, preparing: layouts)
        if let state = caches[writer].openDatasets.known("feed").state {
          try caches[writer].store.read { try state.checkInvariants($0) }
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
          try caches[writer].close()
          caches[writer] = try open(options)
        case 1:
          var options = options
          options.nodeCacheBytes = 1 << 10
          caches[writer] = try open(options)
        case 2: try caches[1 - writer].checkpoint()
        case 3 where !oracles.isEverything: continue
        default: break
        }
        let reader = caches[Int.random(in: 0..<2, using: &generator)]
        #expect(
          try OracleElement.all(of: reader) == OracleElement.all(of: feed.oracle),
          "\(origin)\n\(batch)")
        try expected.expect(of: reader, feed, origin, using: &generator)
        if generator.oneIn(6) {
          let report = try reader.verify()
          try #require(report.problems.isEmpty, "\(origin)\n\(batch)\n\(report.problems)")
        }
      }
    }
  }

  /// Compares imports of all modes, with so little memory that items are spilled, with a list.
  @Test(.property, arguments: PropertyRun.seeds)
  func importsKeepTheItemsData(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var options = LayoutCacheOptions.randomShapes(using: &generator)
    if generator.oneIn(2) { options.importBytes = 1 << 10 }
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(path: directory.path(of: "feed.sqlite"), options: options)
    var keys: [[String]] = [[], [], []]
    var carried: [String: ItemData] = [:]
    for step in 0..<6 {
      let mode: ImportMode = step == 0 ? .create : generator.oneIn(5) ? .replace : .append
      if mode == .replace { (keys, carried) = ([[], [], []], [:]) }
      let count = Int.random(in: 0...(generator.oneIn(2) ? 4 : 300), using: &generator)
      let oneIn = [1, 4, 40].randomElement(using: &generator)!
      _ = try cache.importItems(into: "feed", mode: mode) { importer in
        for section in 0..<3 { try importer.addSection("s\(section)") }
        for number in 0..<count {
          let (key, section) = ("\(step) \(number)", Int.random(in: 0..<3, using: &generator))
          let data = generator.oneIn(oneIn) ? try CarriedData.random(using: &generator) : nil
          keys[section].append(key)
          carried[key] = data
          try importer.add(
            Item(key: key, width: 4, height: 3, data: data), section: "s\(section)")
        }
      }
      var found: [Item] = []
      try cache.forEachItem(of: "feed") { found.append($1) }
      #expect(found.map(\.key) == keys.flatMap(\.self), "import \(step)")
      #expect(found.map(\.data) == keys.flatMap(\.self).map { carried[$0] }, "import \(step)")
      #expect(try cache.verify().problems.isEmpty, "import \(step)")
    }
  }
}

/// The oracle: the data of each key of a feed.
private struct CarriedData {
  /// One of this many items has data.
  let oneIn: Int
  private var data: [ExactKey: ItemData] = [:]

  init(oneIn: Int) { self.oneIn = oneIn }

  static func random(using generator: inout SeededGenerator) throws -> ItemData {
    let length = generator.oneIn(8) ? Int.random(in: 0...4000, using: &generator) : 5
    let text = String(repeating: "é", count: length / 2)
    return try ItemData(
      json: #"{"n": \#(Int.random(in: 0...9, using: &generator)), "t":"\#(text)"}"#)
  }

  /// The oracle's operations, some with data, and with changes of data.
  mutating func batch(
    _ operations: [OracleOperation], on feed: OracleFeed, using generator: inout SeededGenerator
  ) throws -> [BatchOperation] {
    var feed = feed
    var batch: [BatchOperation] = []
    for operation in operations {
      if generator.oneIn(2) { try batch.append(contentsOf: changes(on: feed, using: &generator)) }
      try feed.apply([operation])
      let keys = Set(feed.sections.flatMap(\.items).map { ExactKey($0.key) })
      data = data.filter { keys.contains($0.key) }
      guard case .insert(let items, let place) = operation else {
        // No operation both deletes a key and inserts it again.
        batch.append(try BatchOperation(operation))
        continue
      }
      var inserted: [Item] = []
      for item in items {
        let carried = generator.oneIn(oneIn) ? try Self.random(using: &generator) : nil
        data[ExactKey(item.key)] = carried
        inserted.append(
          try Item(
            key: item.key, width: item.width, height: item.height, columnSpan: item.span,
            data: carried))
      }
      batch.append(.insert(inserted, at: ItemDestination(place)))
    }
    return try batch + changes(on: feed, using: &generator)
  }

  private mutating func changes(
    on feed: OracleFeed, using generator: inout SeededGenerator
  ) throws -> [BatchOperation] {
    let keys = feed.sections.flatMap(\.items).map(\.key)
    var changes: [BatchOperation] = []
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      guard let key = keys.randomElement(using: &generator) else { break }
      let new: ItemData? =
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: nil
        case 1: data[ExactKey(key)]
        default: try Self.random(using: &generator)
        }
      data[ExactKey(key)] = new
      changes.append(.data(key: key, new))
    }
    return changes
  }

  /// Compares the data in all of a cache's answers.
  func expect(
    of cache: LayoutCache, _ feed: OracleFeed, _ origin: Comment,
    using generator: inout SeededGenerator
  ) throws {
    let items = feed.sections.flatMap(\.items)
    var exported: [Item] = []
    try cache.forEachItem(of: "feed") { exported.append($1) }
    try #require(exported.map(\.data) == items.map { data[ExactKey($0.key)] }, origin)
    var bare: [Item] = []
    try cache.forEachItem(of: "feed", withData: false) { bare.append($1) }
    #expect(bare.map(\.key) == items.map(\.key) && bare.allSatisfy { $0.data == nil }, origin)
    let chosen = items.randomElement(using: &generator)
    try cache.read(LayoutID("layout", of: "feed")) { snapshot in
      let all = Rect(origin: .zero, size: snapshot.contentSize)
      for rect in [all, Rect(origin: .zero, size: Size(width: 200, height: 300))] {
        let elements = try snapshot.elements(in: rect).elements
        let found = try snapshot.data(of: elements).data
        let expected: [ItemData?] = elements.map { element in
          guard case .cell(let key) = element.category else { return nil }
          return data[ExactKey(key)]
        }
        #expect(found == expected, origin)
      }
      guard let chosen, let path = try snapshot.indexPath(ofKey: chosen.key) else { return }
      #expect(try snapshot.data(forKey: chosen.key) == data[ExactKey(chosen.key)], origin)
      #expect(try snapshot.data(at: path) == data[ExactKey(chosen.key)], origin)
      #expect(try snapshot.data(at: .init(section: path.section, item: 1 << 30)) == nil, origin)
      #expect(try snapshot.data(forKey: "no such key") == nil, origin)
    }
  }
}
