import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Operations that are rejected.
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

  // MARK: - Preferred lengths

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
    #expect(try update(feed, .prefer(layout: "layout", key: "s-4", length: nil)).revision == 1)
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
      try cache.update("feed", with: [.move(key: "s-1", to: .end(section: "grid")), prefer("s-1")])
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
}
