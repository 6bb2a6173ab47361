import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

/// Operations that count as a change, and operations that are rejected.
@Suite struct OperationTests {
  private let waterfall = KindExample.waterfall.configuration()

  private func update(
    _ feed: TestFeed, _ operations: BatchOperation...
  ) throws -> Commit {
    try feed.cache.update("feed", with: operations)
  }

  // MARK: - Names

  private static let names = [
    "", "a\u{0}", "a\u{7F}", "\u{85}", String(repeating: "k", count: 256),
    String(repeating: "é", count: 200_000),
  ]

  /// Every operation with an improper key or name next to proper but unknown ones, which would
  /// be rejected if they were looked up first.
  private static func operations(_ name: String) -> [BatchOperation] {
    let size = Size(width: 1, height: 1)
    return [
      .insert([], at: .end(section: name)), .insert([], at: .index(0, section: name)),
      .insert([], at: .before(name)), .insert([], at: .after(name)),
      .delete(keys: ["unknown", name]), .move(key: "unknown", to: .before(name)),
      .move(key: name, to: .end(section: "unknown")), .resize(key: name, size: size),
      .prefer(layout: name, key: "unknown", length: 1),
      .prefer(layout: "unknown", key: name, length: nil), .insertSection(key: name),
      .preferSupplementary(layout: name, kind: .header, section: "unknown", length: nil),
      .preferSupplementary(layout: "unknown", kind: .footer, section: name, length: nil),
      .upsert([], section: name), .deleteSection(key: name, missing: .ignore),
      .delete(keys: [name], missing: .ignore),
      .deleteSection(key: name), .moveSection(key: name, index: 0),
      .invalidate(layout: name), .invalidate(layout: "unknown", items: [name]),
      .invalidate(layout: "unknown", sections: [name]), .rebalance(layout: name),
      .invalidateElements(layout: name, kinds: []),
      .invalidateElements(layout: "unknown", kinds: [name]),
      .invalidateElements(layout: "unknown", kinds: ["header"], sections: [name]),
      .rebalance(layout: "unknown", section: name),
      .rebalance(layout: "unknown", section: "unknown", from: name),
    ]
  }

  @Test func improperNamesAreRejectedBeforeAnyLookup() throws {
    let feed = try TestFeed([.mixed("s", count: 3)], configuration: waterfall)
    for name in Self.names {
      for operation in Self.operations(name) {
        let error = #expect(throws: LayoutCacheError.self) { try update(feed, operation) }
        guard case .refused(_, .limit)? = error?.code else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(error?.category == .input)
        #expect(error.map { "\($0)".unicodeScalars.count } ?? 0 < 200)
      }
    }
    #expect(try feed.cache.datasets().first?.revision == 1)
  }

  @Test func improperNamesAreRejectedByReads() throws {
    let feed = try TestFeed([.mixed("s", count: 3)], configuration: waterfall)
    let (cache, known) = (feed.cache, LayoutID("layout", of: "feed"))
    let limits = LayoutConfiguration(container: .init(width: 10, height: nil), section: .init())
    for name in Self.names {
      let calls: [() throws -> Void] = [
        { try cache.read(LayoutID(name, of: "feed")) { _ in } },
        { try cache.read(LayoutID("layout", of: name)) { _ in } },
        { try cache.read(known) { _ = try $0.attributes(forKey: name) } },
        { try cache.read(known) { _ = try $0.indexPath(ofKey: name) } },
        { try cache.prepare(LayoutID(name, of: "feed")) },
        { _ = try cache.layout(LayoutID(name, of: "feed")) },
        { _ = try cache.layouts(of: name) },
        { try cache.setLayout(LayoutID(name, of: "feed"), to: limits) },
        { try cache.removeLayout(LayoutID(name, of: "feed")) },
        { try cache.forEachItem(of: name) { _, _ in } },
        { try cache.update(name, with: []) },
        { _ = try cache.importItems(into: name, mode: .replace) { _ in } },
        {
          _ = try cache.importItems(into: "feed", mode: .append) { try $0.addSection(name) }
        },
      ]
      for (number, call) in calls.enumerated() {
        let error = #expect(throws: LayoutCacheError.self, "\(number)") { try call() }
        guard case .limit? = error?.code else {
          Issue.record("call \(number): \(String(describing: error).prefix(300))")
          continue
        }
      }
    }
  }

  @Test func messagesQuoteTheStartOfALongName() {
    let long = String(repeating: "k", count: 1_000_000)
    let codes: [LayoutCacheError.Code] = [
      .noSuchDataset(long), .noSuchLayout(LayoutID(long, of: "d")),
      .noSuchKey(long, dataset: "d"), .datasetExists(long),
      .duplicateKey(DuplicateKey(key: long, lines: [1, 2])), .concurrentModification(dataset: long),
      .cannotLayOut(
        LayoutID("l", of: "d"),
        LayoutRefusal(key: long, reason: LimitError(.tooLong, "x", limit: 1, value: 2))),
      .configuration(ConfigurationError(.unknownKey(long, known: ["a"]))),
      .configuration(ConfigurationError(.unknownChoice(long, known: ["a"]))),
      .configuration(ConfigurationError(.missing("a"), at: ["sections", long])),
      .refused(operation: 1, .noSuchSection(long)),
      .refused(operation: 1, .keyExists(long)),
      .refused(operation: 1, .relativeToItself(long)),
    ]
    for code in codes {
      let message = LayoutCacheError(code).description
      #expect(message.contains("k…"))
      #expect(message.count { $0 == "k" } <= 90, "\(message)")
    }
  }

  // MARK: - No-ops

  @Test(arguments: KindExample.every)
  func operationsWithoutEffectCreateNoRevision(kind: KindExample) throws {
    let feed = try TestFeed(
      [.mixed("s", count: 9), .mixed("t", count: 2)], configuration: kind.configuration())
    try feed.read { _ in }
    let size = try #require(try itemSize("s-4", feed))
    let commit = try update(
      feed, .resize(key: "s-4", size: size), .resize(key: "s-4", size: size, columnSpan: 1),
      .prefer(layout: "layout", key: "s-4", length: nil), .insert([], at: .end(section: "s")),
      .delete(keys: []), .invalidate(layout: "layout"), .move(key: "s-4", to: .after("s-3")),
      .move(key: "s-4", to: .before("s-5")), .move(key: "s-4", to: .index(4, section: "s")),
      .move(key: "s-8", to: .end(section: "s")), .moveSection(key: "t", index: 1))
    #expect(commit.revision == 1 && commit.layouts.isEmpty && commit.behind.isEmpty)
    #expect(try feed.cache.datasets().first?.revision == 1)
    #expect(try feed.cache.inspectedLogBatches() == 0)
  }

  @Test func eachInvalidationAndRebalanceCreatesARevision() throws {
    let feed = try TestFeed([], configuration: waterfall)
    #expect(try update(feed, .rebalance(layout: "layout")).revision == 2)
    _ = try update(feed, .insertSection(key: "s"))
    for operation in [
      .rebalance(layout: "layout"), .rebalance(layout: "layout", section: "s"),
      .invalidate(layout: "layout", sections: ["s"]),
      .invalidate(layout: "layout", everything: true),
    ] as [BatchOperation] {
      let revision = try feed.cache.datasets()[0].revision
      #expect(try update(feed, operation).revision == revision + 1)
    }
    // A cache that opens the file next applies the log.
    let other = try LayoutCache(path: feed.path)
    #expect(try other.datasets().first?.revision == 7)
  }

  // MARK: - Preferred lengths

  @Test func resizeResetsTheMeasuredLengthsInEveryLayout() throws {
    let feed = try TestFeed([.mixed("s", count: 9)], configuration: waterfall)
    let other = LayoutID("other", of: "feed")
    try feed.cache.setLayout(
      other, to: ConfigurationText.decode(KindExample.flow.configuration()))
    func heights(_ key: String) throws -> [Length?] {
      try [LayoutID("layout", of: "feed"), other].map {
        try feed.cache.read($0) { try $0.attributes(forKey: key)?.frame.size.height }
      }
    }
    let size = try #require(try itemSize("s-4", feed))
    let natural = try heights("s-4")
    _ = try update(
      feed, .prefer(layout: "layout", key: "s-4", length: 77),
      .prefer(layout: "other", key: "s-4", length: 78))
    _ = try update(
      feed, .resize(key: "s-4", size: size), .resize(key: "s-4", size: size, columnSpan: 0))
    #expect(try heights("s-4") == [77, 78])
    _ = try update(
      feed, .resize(key: "s-4", size: Size(width: size.width, height: size.height + 1)),
      .resize(key: "s-4", size: size, columnSpan: 1))
    #expect(try heights("s-4") == natural)
  }

  @Test(arguments: KindExample.every)
  func lengthsThatCanHaveNoEffectAreRejected(kind: KindExample) throws {
    let feed = try TestFeed([.mixed("s", count: 9)], configuration: kind.configuration())
    let length = BatchOperation.prefer(layout: "layout", key: "s-4", length: 9)
    guard KindExample.measured.contains(where: { $0.name == kind.name }) == false else {
      #expect(try update(feed, length).revision == 2)
      return
    }
    let error = #expect(throws: LayoutCacheError.self) { try update(feed, length) }
    #expect(error?.category == .input)
    #expect(error.map { "\($0)".contains("takes no preferred lengths") } == true)
    #expect(
      try update(feed, .prefer(layout: "layout", key: "s-4", length: nil)).revision == 1)
  }

  @Test func lengthsAreCheckedAgainstTheStoredConfiguration() throws {
    let feed = try TestFeed(
      [.mixed("s", count: 2), .mixed("grid", count: 2), .mixed("own", count: 2)],
      configuration: """
        {"container":{"width":200},"section":{"kind":"waterfall"},
         "sections":{"grid":{"kind":"grid","rowLength":9},"own":{"kind":"stack"}}}
        """)
    // A cache without registered kinds accepts lengths for unknown ones.
    let cache = try LayoutCache(path: feed.path)
    func prefer(_ key: String) -> BatchOperation {
      .prefer(layout: "layout", key: key, length: 9)
    }
    #expect(try cache.update("feed", with: [prefer("own-0"), prefer("s-0")]).revision == 2)
    #expect(throws: LayoutCacheError.self) { try cache.update("feed", with: [prefer("grid-0")]) }
    let moved = BatchOperation.move(key: "grid-0", to: .end(section: "s"))
    #expect(try cache.update("feed", with: [moved, prefer("grid-0")]).revision == 3)
    #expect(throws: LayoutCacheError.self) {
      try cache.update(
        "feed", with: [.move(key: "s-1", to: .end(section: "grid")), prefer("s-1")])
    }
    // The configuration counts, not the result that is still answered from.
    try feed.read { _ in }
    try feed.set(KindExample.grid.configuration())
    #expect(throws: LayoutCacheError.self) { try update(feed, prefer("s-0")) }
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  // MARK: - Long batches

  @Test func anOversizedBatchIsRejectedButCanBeImported() throws {
    let feed = try TestFeed([.mixed("s", count: 3)], configuration: waterfall)
    try feed.read { _ in }
    // Few items with much data: without optimization the time depends on the number of items.
    let data = try ItemData(json: #"{"t":"\#(String(repeating: "x", count: 4000))"}"#)
    let items = try (0..<4400).map { try Item(key: "k\($0)", width: 1, height: 1, data: data) }
    let error = #expect(throws: LayoutCacheError.self) {
      try update(feed, .insert(items, at: .end(section: "s")))
    }
    guard case .batchTooLong(let limit)? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(limit.limit == Double(Limits.batchBytesMax) && limit.value > limit.limit)
    #expect(error?.category == .input)
    #expect(error.map { "\($0)".contains("import the items") } == true)
    #expect(try feed.cache.datasets().first?.revision == 1)
    #expect(try update(feed, .delete(keys: ["s-0"])).revision == 2)
    _ = try feed.cache.importItems(into: "feed", mode: .append) { importer in
      for item in items { try importer.add(item, section: "s") }
    }
    #expect(try feed.read { $0.itemCount } == 4402)
  }

  private func itemSize(_ key: String, _ feed: TestFeed) throws -> Size? {
    var size: Size?
    try feed.cache.forEachItem(of: "feed") { _, item in
      if item.key == key { size = item.size }
    }
    return size
  }
}

extension LayoutCache {
  /// The batches in the log of the only dataset, except for the import that created it.
  fileprivate func inspectedLogBatches() throws -> Int {
    try inspect(dataset: "feed").logBatches - 1
  }
}
