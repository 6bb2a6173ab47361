import ClusterSimulation
import LayoutCache
import LayoutCacheTestSupport
import LayoutReplication
import TestSupport
import Testing

// Strategy: random requests are logged in groups. One node decides each group in one transaction,
// with its own values of the requests; another one decides what it decodes, one by one, and is loaded
// again from the first at times. A cache without a log makes the same changes. What nodes may have
// differently differs: clocks, templates, IDs in the file, other datasets, layouts in memory.

@Suite struct GroupedChangeTests {
  private static let log = [UInt8](repeating: 7, count: 16)

  @Test(.property, arguments: PropertyRun.seeds(PropertyRun.isThorough ? 20 : 2))
  func decidedRequestsMatchSingleChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    let nodes = try ["a", "b"].map { try LayoutCache(path: folder.path(of: "\($0).sqlite")) }
    let alone = try LayoutCache(path: folder.path(of: "alone.sqlite"))
    var position = SharedPosition(dataset: 1, sequence: 0, chain: [])
    try nodes[1].createDataset("other")
    for name in Self.layouts + Self.layouts.reversed() {
      let configuration = try ConfigurationText.decode(Self.configuration(of: name, &generator))
      try nodes[1].setTemplate(
        LayoutTemplate(name, datasets: "*", layout: name, configuration: configuration))
    }
    for node in nodes { try node.adopt("feed", at: position, in: Self.log, time: 0) }
    try alone.createDataset("feed")
    var (rejectedCount, staleCount, groupedCount, layoutCount) = (0, 0, 0, Int64(0))
    for step in PropertyRun.each(seed, steps: 40) {
      if generator.oneIn(6) { try Self.load(nodes[1], from: nodes[0]) }
      let keys = try Feeds.keys(of: "feed", in: nodes[0])
      let pairs = try (0..<Int.random(in: 1...5, using: &generator)).compactMap { _ in
        let change = try Self.change(on: keys, using: &generator)
        return Self.localized(change, by: nodes[0]).map { localized in
          layoutCount += 1
          var localized = localized
          localized.chosen = nodes[0].chosenValues(layout: layoutCount)
          return (change, localized: localized)
        }
      }
      if pairs.isEmpty { continue }
      let (changes, localized) = (pairs.map(\.0), pairs.map(\.localized))
      groupedCount += changes.count > 1 ? 1 : 0
      let requests = localized.map {
        SharedRequest(
          .change, named: .randomName(), payload: $0.encoded,
          time: Int64(step) * 5_000_000
            + (generator.oneIn(8) ? Int64.random(in: 0...400_000_000, using: &generator) : 0))
      }
      let entries = requests.entries(
        from: position.sequence + 1, before: position.chain, chain: generator.bytes(16))
      let own = Dictionary(uniqueKeysWithValues: zip(entries.map(\.sequence), localized))
      let group = LayoutCache.EntryRun(of: "feed", after: position, entries, own: own)
      let first = try nodes[0].decide([group], in: Self.log)[0]
      if generator.oneIn(8) { try nodes[1].checkpoint() }
      for (entry, decided) in zip(entries, first) {
        let run = LayoutCache.EntryRun(of: "feed", after: position, [entry])
        let second = try nodes[1].decide([run], in: Self.log)[0][0]
        #expect("\(second.map(\.revision))" == "\(decided.map(\.revision))", "seed \(seed)")
        (position.sequence, position.chain) = (entry.sequence, entry.chain)
      }
      for (change, decided) in zip(changes, first) where !change.isOfLayout {
        let context = "seed \(seed): \(change.work)"
        switch decided {
        case .success(.replayed): continue
        case .success(let outcome):
          #expect(try Self.carryOut(change, on: alone) == outcome.revision, "\(context)")
        case .failure(let error):
          rejectedCount += 1
          if case .concurrentModification = error.code {
            staleCount += 1
            continue
          }
          let own = #expect(throws: LayoutCacheError.self, "\(context)") {
            try Self.carryOut(change, on: alone)
          }
          #expect(own.map { "\($0.code)" } == "\(error.code)", "\(context)")
        }
      }
      let contents = try ([alone] + nodes).map(Self.contents)
      #expect(contents[0] == contents[1] && contents[1] == contents[2], "seed \(seed)")
    }
    #expect(rejectedCount > staleCount && staleCount > 0 && groupedCount > 10)
    // A node cannot export what its templates will change.
    for name in Self.layouts + ["n"] {
      let change = ChangeRequest(.followTemplate(name, to: nil, replacing: 1))
      let request = SharedRequest(.change, named: .randomName(), payload: change.encoded, time: 0)
      let (next, chain) = (position.sequence + 1, generator.bytes(16))
      let entries = [request].entries(from: next, before: position.chain, chain: chain)
      let run = LayoutCache.EntryRun(of: "feed", after: position, entries)
      for node in nodes { _ = try node.decide([run], in: Self.log) }
      (position.sequence, position.chain) = (next, chain)
    }
    let digests = try nodes.map { try $0.exportReplica(of: "feed", in: Self.log) { _ in }.digest }
    #expect(digests[0] == digests[1], "seed \(seed)")
    for node in nodes {
      // Times never go back.
      let times = try node.log(of: "feed", limit: 1_000).map(\.millisecondsSince1970)
      #expect(times == times.sorted(by: >), "seed \(seed)")
      #expect(try node.verify().problems.isEmpty)
    }
  }

  private static let layouts = ["l", "m", "any"]

  private static func configuration(of name: String, _ generator: inout SeededGenerator) -> String {
    let width = name == "any" ? #""widths":{"step":8}"# : #""width":\#(generator.next() % 99 + 99)"#
    return #"{"container":{\#(width)},"section":{"kind":"grid","columns":2}}"#
  }

  private static func layoutChange(using generator: inout SeededGenerator) -> ChangeRequest {
    let name = layouts.randomElement(using: &generator)!
    let text = configuration(of: name, &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return ChangeRequest(.setLayout(name, configuration: text))
    case 1: return ChangeRequest(.followTemplate(name, to: (text, 1, ""), replacing: nil))
    case 2: return ChangeRequest(.followTemplate(name, to: nil, replacing: 1))
    case 3: return ChangeRequest(.pin(name))
    case 4: return ChangeRequest(.removeLayout(name))
    case 5: return ChangeRequest(.renameLayout(name, to: "n"))
    // A grid takes no length; a layout may be missing.
    case 6: return ChangeRequest(.batch([.prefer(layout: "any@97", key: "k", length: 1)]))
    default: return ChangeRequest(.addVariant("any@96"))
    }
  }

  /// Loads the dataset of a node again, as it is at another one.
  private static func load(_ node: LayoutCache, from other: LayoutCache) throws {
    var chunks: ArraySlice<[UInt8]> = []
    _ = try other.exportReplica(of: "feed", in: log) { chunks.append($0) }
    try node.loadReplica(as: "feed", number: 1, begin: [], in: log) { chunks.popFirst() }
  }

  private static func change(
    on keys: [String], using generator: inout SeededGenerator
  ) throws -> ChangeRequest {
    let batch = try Feeds.batch(on: keys, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return ChangeRequest(.undo())
    case 1:
      var change = ChangeRequest(.batch([.match([], missing: .keep)] + batch))
      change.mayPassInTransaction = true
      return change
    case 2, 3: return layoutChange(using: &generator)
    default:
      // Most keys are used again, hours or days later; some batches change nothing.
      let key = "\(Int.random(in: 0..<80, using: &generator))"
      let request = try IdempotentRequest(key: key, owner: "", bodyHash: [1])
      return ChangeRequest(
        .batch(generator.oneIn(3) ? [] : batch), request: generator.oneIn(8) ? nil : request)
    }
  }

  /// Returns the request as a node logs it; `nil` if the node answers it at once.
  private static func localized(
    _ change: ChangeRequest, by node: LayoutCache
  ) -> ChangeRequest? {
    if !change.dependsOnNode { return change }
    guard case .request(let localized)? = try? node.localized(change, on: "feed") else {
      return nil
    }
    return localized
  }

  /// - Returns: The revision after the change.
  private static func carryOut(_ change: ChangeRequest, on cache: LayoutCache) throws -> Int {
    switch change.work {
    case .batch(let operations): try cache.update("feed", with: operations).revision
    default: try cache.undo("feed").revision
    }
  }

  private static func contents(_ cache: LayoutCache) throws -> [String] {
    var items = ["\(try cache.dataset("feed").revision)"]
    try cache.forEachItem(of: "feed") { section, item in
      items.append("\(section) \(item.key) \(item.size)")
    }
    return items
  }
}

extension ChangeRequest {
  /// Whether it is about the layouts of these tests.
  fileprivate var isOfLayout: Bool {
    switch work {
    case .batch(let operations): operations.contains { $0.layout?.hasPrefix("any") ?? false }
    case .undo: false
    default: true
    }
  }
}
