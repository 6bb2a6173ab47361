import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a random dataset with layouts of all kinds, some of them waterfalls that random
// batches make uneven, so that rebalances are in progress and skews are settled. Items are
// inserted, deleted, moved and measured, and have data; commits are undone. One file commits. Two
// other files, with different hash keys, nodes and caches, are loaded from its archive and apply
// the rows of its log: immediately or many rows later, with active or lagging layouts, with
// checkpoints, and reopened. Sometimes one is loaded again.
//
// Invariants: at equal revisions all three files have equal archives, byte for byte, and equal
// answers for each layout, to the unit; verify is clean.

@Suite struct ArchivePropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func filesWithOneHistoryHaveOneArchive(seed: UInt64) throws {
    var run = try Run(seed: seed)
    for step in PropertyRun.each(seed, steps: 12) {
      if step > 0, step % 36 == 0 { run = try Run(seed: seed &* 1_000_003 &+ UInt64(step)) }
      do {
        try run.step()
      } catch {
        let history = run.history.suffix(30).joined(separator: "\n")
        Issue.record("\(error)\n\(history)\n\(run.texts)")
        return
      }
    }
    // Without columns from history the comparison would prove little.
    #expect(run.overdueCount > 0)
  }

  /// Files differ.
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  fileprivate struct File {
    let directory: TemporaryDirectory
    var options: LayoutCacheOptions
    let clock = TestClock(milliseconds: 1_000_000_000_000)
    var time: Int64 = 1_000_000_000_000
    var cache: LayoutCache

    init(rules: RebalanceRules, using generator: inout SeededGenerator) throws {
      directory = try TemporaryDirectory()
      options = .randomShapes(using: &generator)
      options.treeShapes.rebalancing = rules
      if generator.oneIn(3) { options.importBytes = 1 << 10 }
      cache = try Self.open(directory, options, clock)
    }

    static func open(
      _ directory: TemporaryDirectory, _ options: LayoutCacheOptions, _ clock: TestClock
    ) throws -> LayoutCache {
      try LayoutCache(
        path: directory.path(of: "feed.sqlite"), options: options, sectionLayouts: TestKinds.all,
        clock: clock.clock)
    }

    mutating func reopen(closing: Bool) throws {
      if closing { try cache.close() }
      cache = try Self.open(directory, options, clock)
    }

    mutating func set(time: Int64) {
      clock.advance(by: time - self.time)
      self.time = time
    }
  }

  fileprivate struct Run {
    var generator: SeededGenerator
    /// The first file commits, the others follow.
    var files: [File] = []
    var batches: RandomBatch
    /// The expected dataset; only its items are compared.
    var feed: OracleFeed
    /// The state before the newest commit, if all caches can undo it.
    var former: OracleFeed?
    var texts: [String] = []
    var history: [String] = []
    var overdueCount = 0
    private var requestCount = 0

    static let layouts = ["stable", "mixed", "custom", "lazy"]

    init(seed: UInt64) throws {
      generator = SeededGenerator(seed: seed)
      let rules = RebalanceRules(
        instalment: .random(in: 1...4, using: &generator),
        batchMax: .random(in: 1...8, using: &generator))
      var source = RandomFeed(sectionCountMax: 3, itemCountMax: generator.oneIn(3) ? 150 : 40)
      let sections = Self.evenSections(using: &generator) + source.sections(using: &generator)
      feed = try OracleFeed(
        configuration: #"{"container":{"width":9},"section":{"kind":"waterfall"}}"#,
        sections: sections)
      batches = RandomBatch(source: source, itemCountMax: 300)
      for _ in 0..<3 { files.append(try File(rules: rules, using: &generator)) }
      _ = try files[0].cache.importItems(into: "feed", mode: .create) { importer in
        for section in sections { try importer.addSection(section.key, style: section.style) }
        for section in sections {
          for item in section.items { try importer.add(Item(item), section: section.key) }
        }
      }
      let keys = sections.map(\.key)
      for layout in Self.layouts {
        let text = Self.text(layout, keys, using: &generator)
        texts.append(text)
        let id = LayoutID(layout, of: "feed")
        try files[0].cache.setLayout(id, to: ConfigurationText.decode(text))
        if layout != "lazy" { try files[0].cache.prepare(id) }
      }
      // More items than a batch places again, so that rebalances are in progress.
      try files[0].cache.update("feed", with: [.rebalance(layout: "stable")])
      try load(1)
      try load(2)
      try compare()
    }

    /// Sections of short items: a few longer items make them uneven.
    private static func evenSections(
      using generator: inout SeededGenerator
    ) -> [OracleSection] {
      ["a", "b"].map { key in
        OracleSection(
          key,
          sizes: (0..<Int.random(in: 10...60, using: &generator)).map { _ in
            (10, Double(Int.random(in: 1...30, using: &generator)))
          })
      }
    }

    private static func text(
      _ layout: String, _ keys: [String], using generator: inout SeededGenerator
    ) -> String {
      switch layout {
      case "stable":
        let ties = ["leading", "trailing", "cursor"].randomElement(using: &generator)!
        return #"{"container":{"width":400},"section":{"kind":"waterfall","columns":"#
          + #"\#(Int.random(in: 2...4, using: &generator)),"itemLength":"natural","ties":"\#(ties)","#
          + #""maximumSkew":\#(Int.random(in: 0...60, using: &generator)),"header":9}}"#
      case "mixed":
        return RandomConfiguration(kinds: .all).text(sectionKeys: keys, using: &generator)
      case "custom":
        return RandomConfiguration(kinds: [.waterfall, .flow, .custom])
          .text(sectionKeys: keys, using: &generator)
      default: return #"{"container":{"width":300},"section":{"kind":"flow"}}"#
      }
    }

    private mutating func record(_ action: String) { history.append(action) }

    mutating func step() throws {
      try commit()
      for index in 1...2 {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0:
          record("\(index) checkpoints")
          try files[index].cache.checkpoint()
        case 1, 2:
          let closes = generator.oneIn(2)
          record("\(index) \(closes ? "closes" : "goes")")
          try files[index].reopen(closing: closes)
        case 3: try load(index)
        case 4, 5: try follow(index)
        case 6...9:
          try follow(index)
          let layout = Self.layouts.randomElement(using: &generator)!
          record("\(index) reads \(layout)")
          _ = try answer(layout, of: index)
        default: break
        }
      }
      if generator.oneIn(12) { try files[0].cache.checkpoint() }
      if generator.oneIn(20) { try files[0].reopen(closing: generator.oneIn(2)) }
      if generator.oneIn(3) { try compare() }
    }
  }
}

// MARK: - Changing

extension ArchivePropertyTests.Run {
  private mutating func commit() throws {
    files[0].set(time: files[0].time + .random(in: 0...10_000_000, using: &generator))
    let cache = files[0].cache
    let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
    let before = try cache.dataset("feed").revision
    if let former, generator.oneIn(8) {
      record("undoes revision \(before)")
      try cache.undo("feed", preparing: layouts)
      (self.former, feed) = (feed, former)
      return
    }
    let old = feed
    var batch: [BatchOperation]
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1: batch = try measurements()
    case 2: batch = try data()
    case 3, 4, 5:
      let operations = skewing()
      try feed.apply(operations)
      batch = try operations.map { try BatchOperation($0) }
      // A batch places only some of the items again; later batches place the rest.
      if generator.oneIn(2) { batch.append(.rebalance(layout: "stable")) }
    default:
      let layout = Self.layouts.randomElement(using: &generator)!
      var operations = batches.next(for: feed, using: &generator)
      // Operations on a layout apply to a random one.
      operations.removeAll {
        switch $0 {
        case .prefer, .preferLengths, .resetLengths, .preferLayout, .preferSupplementary,
          .invalidateElements:
          true
        case .invalidate(_, _, let everything): everything
        default: false
        }
      }
      try feed.apply(operations)
      batch = try operations.map { try BatchOperation($0, layout: layout) }
      if generator.oneIn(6) { batch.append(.mark(source: "a", position: "\(before)")) }
    }
    record("commits \(batch)")
    do {
      requestCount += 1
      let request = try IdempotentRequest(key: "\(requestCount)", owner: "o", bodyHash: [1])
      if generator.oneIn(3) {
        _ = try cache.update("feed", with: batch, preparing: layouts, once: request) { _ in [] }
      } else {
        try cache.update("feed", with: batch, preparing: layouts)
      }
    } catch let error as LayoutCacheError {
      // Some sections do not accept measured lengths.
      guard case .refused = error.code else { throw error }
      feed = old
    }
    if try cache.dataset("feed").revision > before { former = old }
  }

  /// Makes every second, third or fourth item of a range longer.
  private mutating func skewing() -> [OracleOperation] {
    guard
      let section = feed.sections.filter({ $0.items.count > 8 }).randomElement(using: &generator)
    else { return [] }
    let start = Int.random(in: 0..<(section.items.count - 8), using: &generator)
    let distance = Int.random(in: 2...4, using: &generator)
    return stride(from: start, to: section.items.count, by: distance).prefix(8).map {
      .resize(
        key: section.items[$0].key, width: 10,
        height: Double(Int.random(in: 1...60, using: &generator)), span: section.items[$0].span)
    }
  }

  private mutating func measurements() throws -> [BatchOperation] {
    let layout = Self.layouts.randomElement(using: &generator)!
    let length = Length(units: .random(in: 1...20_000, using: &generator))
    guard let section = feed.sections.randomElement(using: &generator),
      let item = section.items.randomElement(using: &generator), !generator.oneIn(4)
    else {
      return feed.sections.prefix(1).map {
        .preferSupplementary(layout: layout, kind: .header, section: $0.key, length: length)
      }
    }
    return [
      .prefer(layout: layout, key: item.key, length: generator.oneIn(5) ? nil : length)
    ]
  }

  private mutating func data() throws -> [BatchOperation] {
    let keys = feed.sections.flatMap(\.items).map(\.key).shuffled(using: &generator)
    return try keys.prefix(3).map { key in
      let text = String(repeating: "x", count: .random(in: 0...200, using: &generator))
      return .data(
        key: key, generator.oneIn(4) ? nil : try ItemData(json: #"{"title":"\#(text)"}"#))
    }
  }

  /// Loads a file from the first one's archive.
  private mutating func load(_ index: Int) throws {
    record("\(index) is loaded")
    let archive = try files[0].cache.archive()
    files[index].set(time: files[0].time)
    let pieces = [1, 7, 1000, 1 << 16].randomElement(using: &generator)!
    let isThere = try !files[index].cache.datasets().isEmpty
    try files[index].cache.load(archive, replacing: isThere, pieces: pieces)
    // An archive does not contain the history before it.
    former = nil
  }

  private mutating func follow(_ index: Int) throws {
    let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
    record("\(index) follows, \(layouts)")
    var file = files[index]
    try file.cache.follow(files[0].cache, preparing: layouts) { file.set(time: $0.time) }
    files[index] = file
    // Rows of a shared log contain the request keys.
    var requests: [RequestRow] = []
    try files[0].cache.store.read { reader in
      let dataset = try reader.requireDataset("feed").id
      try reader.forEachRequest(to: dataset, after: 0) { requests.append($0) }
    }
    try file.cache.store.write { writer in
      let dataset = try writer.reader.requireDataset("feed").id
      for row in requests {
        try writer.put(
          RequestRow(
            dataset: dataset, owner: row.owner, key: row.key, bodyHash: row.bodyHash,
            revision: row.revision, answer: nil, time: row.time), keepingAnswers: 0)
      }
    }
  }
}

// MARK: - Comparing

extension ArchivePropertyTests.Run {
  private struct Answer: Equatable {
    var incarnation: Incarnation
    var revision: Int
    var elements: [OracleElement]
  }

  private func answer(_ layout: String, of index: Int) throws -> Answer {
    try files[index].cache.read(LayoutID(layout, of: "feed")) { snapshot in
      Answer(
        // Each file lays out a layout without history separately.
        incarnation: snapshot.plan.hasHistory ? snapshot.incarnation : "",
        revision: snapshot.revision, elements: try OracleElement.all(of: snapshot))
    }
  }

  private mutating func compare() throws {
    record("all are compared")
    for index in 1...2 { try follow(index) }
    let archives = try (0...2).map { try ArchiveRecords(files[$0].cache.archive()) }
    for index in 1...2 {
      let (own, first) = (archives[index].records, archives[0].records)
      if let place = zip(own, first).enumerated().first(where: { $1.0 != $1.1 })?.offset {
        throw ArchivePropertyTests.Difference(
          description: "archive of \(index), record \(place): \(own[place]), not \(first[place])")
      }
      guard own.count == first.count else {
        throw ArchivePropertyTests.Difference(description: "archive of \(index) has \(own.count)")
      }
    }
    overdueCount += archives[0].records.count { $0.kind == .section && $0.payload != [0, 0] }
    for layout in Self.layouts where !generator.oneIn(3) {
      let expected = try answer(layout, of: 0)
      for index in 1...2 {
        let found = try answer(layout, of: index)
        guard found != expected else { continue }
        let pair = zip(found.elements, expected.elements).first { $0 != $1 }
        throw ArchivePropertyTests.Difference(
          description: "\(layout) of \(index): \(String(describing: pair)), "
            + "\(found.incarnation) \(found.revision), \(expected.incarnation) \(expected.revision)"
        )
      }
    }
    for file in files {
      let problems = try file.cache.verify().problems
      if !problems.isEmpty { throw ArchivePropertyTests.Difference(description: "\(problems)") }
    }
  }
}
