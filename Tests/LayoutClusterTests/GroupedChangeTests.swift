import ClusterSimulation
import LayoutCache
import TestSupport
import Testing

@testable import LayoutCluster

// Strategy: random groups of batches and undos are resolved together, in order, as a node does
// with changes that wait for each other, and the resulting entries are applied. A cache without
// a log applies the same changes one by one.

@Suite struct GroupedChangeTests {
  private static let log = [UInt8](repeating: 7, count: 16)

  @Test(.property, arguments: PropertyRun.seeds)
  func groupedChangesMatchSingleChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    let node = try LayoutCache(path: folder.path(of: "node.sqlite"))
    let alone = try LayoutCache(path: folder.path(of: "alone.sqlite"))
    var position = SharedPosition(dataset: 1, sequence: 0, chain: [])
    try node.adopt("feed", at: position, in: Self.log, time: 0)
    try alone.createDataset("feed")
    var (entryCount, waitCount) = (0, 0)
    for _ in PropertyRun.each(seed, steps: 40) {
      let keys = try Feeds.keys(of: "feed", in: node)
      let changes = try (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        generator.oneIn(4)
          ? ChangeRequest(.undo())
          : ChangeRequest(.batch(try Feeds.batch(on: keys, using: &generator)))
      }
      let (found, proposals) = try node.resolve(changes, on: "feed", in: Self.log) { 1 }
      #expect(found == position)
      for (change, proposal) in zip(changes, proposals) {
        let context = "\(change.work)"
        switch proposal {
        case .mustWait: waitCount += 1
        case .failed:
          #expect(throws: LayoutCacheError.self, "\(context)") {
            try Self.carryOut(change, on: alone)
          }
        case .settled(let outcome):
          #expect(try Self.carryOut(change, on: alone) == outcome.revision, "\(context)")
        case .entry(let entry, let resolved):
          let entry = entry.sealed(after: position.chain)
          // Applies either the trees edited while resolving, or edits them again: a checkpoint
          // in between invalidates the former.
          if generator.oneIn(8) { try node.checkpoint() }
          let pending = LayoutCache.PendingEntry(entry, as: generator.oneIn(3) ? nil : resolved)
          _ = try node.apply(
            [LayoutCache.EntryRun(of: "feed", after: position, [pending])], in: Self.log)
          position.sequence = entry.sequence
          position.chain = entry.chain
          entryCount += 1
          #expect(try Self.carryOut(change, on: alone) == entry.revision, "\(context)")
        }
      }
      #expect(try Self.items(node) == Self.items(alone))
    }
    #expect(entryCount > 20 && waitCount > 5)
    #expect(try node.verify().problems.isEmpty)
    try node.checkpoint()
    #expect(try node.verify().problems.isEmpty)
  }

  /// Entries of a log, of which the node's file has the first ones.
  private struct Tail {
    var position: SharedPosition
    var entries: [LayoutCache.PendingEntry] = []
    var appliedCount = 0
    private var applied: SharedPosition

    init(_ position: SharedPosition) { (self.position, applied) = (position, position) }

    mutating func add(_ entry: SharedEntry, _ change: ResolvedChange?) {
      entries.append(LayoutCache.PendingEntry(entry, as: change))
      position = entry.position(in: position.dataset)
    }

    /// Applies some of the entries in one transaction.
    mutating func apply(_ count: Int, to node: LayoutCache) throws {
      let part = Array(entries[appliedCount..<appliedCount + count])
      guard let last = part.last else { return }
      _ = try node.apply(
        [LayoutCache.EntryRun(of: "feed", after: applied, part)], in: GroupedChangeTests.log)
      applied = last.entry.position(in: position.dataset)
      appliedCount += count
    }
  }

  /// Changes are resolved on entries of which the file has none, some or all.
  @Test(.property, arguments: PropertyRun.seeds)
  func changesResolvedAheadMatchSingleChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    let node = try LayoutCache(path: folder.path(of: "node.sqlite"))
    let alone = try LayoutCache(path: folder.path(of: "alone.sqlite"))
    var tail = Tail(SharedPosition(dataset: 1, sequence: 0, chain: []))
    try node.adopt("feed", at: tail.position, in: Self.log, time: 0)
    try alone.createDataset("feed")
    var (aheadCount, waitCount) = (0, 0)
    for _ in PropertyRun.each(seed, steps: 40) {
      let keys = try Feeds.keys(of: "feed", in: alone)
      let changes = try (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        generator.oneIn(12)
          ? ChangeRequest(.undo())
          : ChangeRequest(.batch(try Feeds.batch(on: keys, using: &generator)))
      }
      var proposals: [LayoutCache.Proposal]?
      if !tail.entries.isEmpty {
        proposals = try node.resolve(
          changes, on: "feed", after: tail.entries, at: tail.position)
        if proposals == nil { waitCount += 1 } else { aheadCount += 1 }
      }
      if proposals == nil {
        try tail.apply(tail.entries.count - tail.appliedCount, to: node)
        tail = Tail(tail.position)
        proposals = try node.resolve(changes, on: "feed", in: Self.log) { 1 }.proposals
      }
      for (change, proposal) in zip(changes, proposals ?? []) {
        let context = "seed \(seed): \(change.work)"
        switch proposal {
        case .mustWait: break
        case .failed:
          #expect(throws: LayoutCacheError.self, "\(context)") {
            try Self.carryOut(change, on: alone)
          }
        case .settled(let outcome):
          #expect(try Self.carryOut(change, on: alone) == outcome.revision, "\(context)")
        case .entry(let entry, let resolved):
          let entry = entry.sealed(after: tail.position.chain)
          #expect(entry.sequence == tail.position.sequence + 1, "\(context)")
          // An entry of another node has no resolved change.
          tail.add(entry, generator.oneIn(4) ? nil : resolved)
          #expect(try Self.carryOut(change, on: alone) == entry.revision, "\(context)")
        }
      }
      let open = tail.entries.count - tail.appliedCount
      if generator.oneIn(3) {
        try tail.apply(Int.random(in: 0...open, using: &generator), to: node)
        if generator.oneIn(4) { try node.checkpoint() }
      }
    }
    try tail.apply(tail.entries.count - tail.appliedCount, to: node)
    #expect(aheadCount > 5 && waitCount > 1, "seed \(seed): \(aheadCount), \(waitCount)")
    #expect(try Self.items(node) == Self.items(alone))
    #expect(try node.verify().problems.isEmpty)
    try node.checkpoint()
    #expect(try node.verify().problems.isEmpty)
  }

  /// A repeat of a request or a mark can be judged only once the first is in the file.
  @Test func aRepeatOfAnEntryThatIsNotAppliedWaits() throws {
    let folder = try TemporaryDirectory()
    let node = try LayoutCache(path: folder.path(of: "node.sqlite"))
    var tail = Tail(SharedPosition(dataset: 1, sequence: 0, chain: []))
    try node.adopt("feed", at: tail.position, in: Self.log, time: 0)
    func change(_ operation: BatchOperation, key: String? = nil) throws -> ChangeRequest {
      ChangeRequest(
        .batch([operation]),
        request: try key.map { try IdempotentRequest(key: $0, owner: "", bodyHash: []) })
    }
    let mark = BatchOperation.mark(source: "source", position: "1", after: .any)
    for (index, request) in [
      try change(.insertSection(key: "a"), key: "k"), try change(mark),
    ].enumerated() {
      let found =
        index == 0
        ? try node.resolve([request], on: "feed", in: Self.log) { 1 }.proposals
        : try node.resolve([request], on: "feed", after: tail.entries, at: tail.position)
      guard case .entry(let entry, let resolved)? = found?[0] else {
        Issue.record("\(String(describing: found))")
        return
      }
      tail.add(entry.sealed(after: tail.position.chain), resolved)
    }
    func waits(_ request: ChangeRequest) throws -> Bool {
      let found = try node.resolve([request], on: "feed", after: tail.entries, at: tail.position)
      if case .mustWait? = found?[0] { return true } else { return false }
    }
    #expect(try waits(change(.insertSection(key: "b"), key: "k")))
    #expect(try waits(change(mark)))
    #expect(try !waits(change(.insertSection(key: "b"), key: "l")))
  }

  /// - Returns: The revision after the change.
  private static func carryOut(_ change: ChangeRequest, on cache: LayoutCache) throws -> Int {
    switch change.work {
    case .batch(let operations): try cache.update("feed", with: operations).revision
    default: try cache.undo("feed").revision
    }
  }

  private static func items(_ cache: LayoutCache) throws -> [String] {
    var items: [String] = []
    try cache.forEachItem(of: "feed") { section, item in
      items.append("\(section) \(item.key) \(item.size)")
    }
    return items
  }
}
