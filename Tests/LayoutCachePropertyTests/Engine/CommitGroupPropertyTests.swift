import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random groups of batches, many of them invalid, are committed together in one cache,
// and one after the other in a second cache with the same datasets. Between groups either cache
// makes a checkpoint or is opened again.
//
// Invariants: each batch has the same outcome in both: the revision, the updates, the contexts
// and the adjusted offset, or the error; both have the same elements; verify is clean.

@Suite struct CommitGroupPropertyTests {
  private static let datasets = ["feed", "other"]

  @Test(.property, arguments: PropertyRun.seeds)
  func groupsMatchSingleCommits(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var run = try Run(using: &generator)
    for _ in PropertyRun.each(seed, steps: 30) {
      try run.commitGroup(batchCountMax: 8, using: &generator)
    }
    try run.finish()
  }

  /// The tail of the log becomes long enough within a group.
  @Test(.property, arguments: PropertyRun.seeds.prefix(2))
  func checkpointWithinAGroupChangesNothing(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var run = try Run(using: &generator)
    run.hasLongTail = true
    for _ in PropertyRun.each(seed, steps: 20) {
      try run.commitGroup(batchCountMax: 90, using: &generator)
    }
    #expect(try run.checkpointRevision > 1)
    try run.finish()
  }

  private struct Run {
    private let folders: [TemporaryDirectory]
    private var caches: [LayoutCache] = []
    private let options: LayoutCacheOptions
    private var counts = (applied: 0, rejected: 0)
    /// Whether batches are long, and no checkpoint is requested.
    var hasLongTail = false

    /// The greatest revision of a checkpoint of the grouped batches.
    var checkpointRevision: Int {
      get throws {
        try datasets.map { name in
          try caches[0].store.read { try $0.requireDataset(name).revision }
        }.max() ?? 0
      }
    }

    init(using generator: inout SeededGenerator) throws {
      options = LayoutCacheOptions.randomShapes(using: &generator)
      folders = [try TemporaryDirectory(), try TemporaryDirectory()]
      for folder in folders {
        let cache = try LayoutCache(path: folder.path(of: "feed.sqlite"), options: options)
        for dataset in datasets {
          _ = try cache.importItems(into: dataset, mode: .create) { importer in
            for number in 0..<60 {
              try importer.add(
                Item(key: "k\(number)", width: 2, height: Double(number % 9 + 1)),
                section: number < 40 ? "s" : "t")
            }
          }
          for (layout, section) in [("one", #"{"columns":3}"#), ("two", #"{"kind":"flow"}"#)] {
            let id = LayoutID(layout, of: dataset)
            try cache.setLayout(
              id,
              to: ConfigurationText.decode(#"{"container":{"width":90},"section":\#(section)}"#))
            try cache.prepare(id)
          }
        }
        caches.append(cache)
      }
    }

    /// Most keys exist, so most batches are valid; some batches are repeated requests.
    private func batch(using generator: inout SeededGenerator) throws -> QueuedChange {
      let operations = try (0..<Int.random(in: 1...2, using: &generator)).map { _ in
        try operation(using: &generator)
      }
      let visible =
        generator.oneIn(2)
        ? nil
        : Rect(
          x: .zero, y: Length(units: Int64.random(in: 0...6_400, using: &generator)), width: 90,
          height: 50)
      // An inactive layout that a checkpoint has passed is laid out after the whole group.
      let layouts: [UpdatedLayouts] =
        hasLongTail ? [.inUse] : [.inUse, .inUse, .inUse, .none, .named(["two"]), .upToDate]
      var request: IdempotentRequest?
      if generator.oneIn(5) {
        let number = UInt8.random(in: 0...40, using: &generator)
        request = try IdempotentRequest(key: "\(number)", owner: "", bodyHash: [number % 39])
      }
      return QueuedChange(
        dataset: dataset(using: &generator),
        request: ChangeRequest(
          .batch(operations),
          CommitViewport(visible: visible, layouts: layouts.randomElement(using: &generator)!),
          expected: generator.oneIn(9) ? Int.random(in: 1...60, using: &generator) : nil,
          request: request)
      ) { Array("\($0.revision) \($0.updates)".utf8) }
    }

    private func dataset(using generator: inout SeededGenerator) -> String {
      if hasLongTail { return datasets[0] }
      return generator.oneIn(20) ? "none" : datasets.randomElement(using: &generator)!
    }

    private func operation(using generator: inout SeededGenerator) throws -> BatchOperation {
      let key = "k\(Int.random(in: 0..<(hasLongTail ? 60 : 80), using: &generator))"
      let height = Int.random(in: 1...9, using: &generator)
      if hasLongTail, generator.oneIn(2) {
        let text = String(repeating: "x", count: 4_000)
        return .data(key: key, try ItemData(json: #"{"\#(height)":"\#(text)"}"#))
      }
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        let item = try Item(key: key, width: 2, height: Double(height))
        return .insert([item], at: .end(section: generator.oneIn(2) ? "s" : "t"))
      case 1: return .delete(keys: [key], missing: generator.oneIn(2) ? .ignore : .fail)
      case 2:
        return .move(key: key, to: .index(height, section: generator.oneIn(2) ? "s" : "t"))
      case 3: return .mark(source: "source", position: "\(height)")
      case 4:
        return .prefer(layout: "one", key: key, length: Length(units: 64 * Int64(height)))
      default:
        return .resize(
          key: key, size: Size(width: 2, height: Length(units: 64 * Int64(height))))
      }
    }

    mutating func commitGroup(
      batchCountMax: Int, using generator: inout SeededGenerator
    ) throws {
      let changes = try (0..<Int.random(in: 1...batchCountMax, using: &generator)).map { _ in
        try batch(using: &generator)
      }
      let together = caches[0].commitTogether(changes)
      for (change, outcome) in zip(changes, together) {
        let outcome = Result {
          try caches[0].finish(
            outcome.get(), of: change.request, answer: change.answer)
        }
        let alone = Result {
          try caches[1].commit(change.request, to: change.dataset, answer: change.answer)
        }
        let text = try text(outcome, of: change)
        #expect(text == (try self.text(alone, of: change)), "\(change.request)")
        if case .success = outcome { counts.applied += 1 } else { counts.rejected += 1 }
      }
      for index in caches.indices where !hasLongTail {
        if generator.oneIn(9) { try caches[index].checkpoint() }
        if generator.oneIn(9) {
          try caches[index].close()
          caches[index] = try LayoutCache(
            path: folders[index].path(of: "feed.sqlite"), options: options)
        }
      }
      for dataset in datasets {
        #expect(try elements(of: dataset, caches[0]) == elements(of: dataset, caches[1]))
      }
    }

    /// The outcome without random names.
    private func text(_ outcome: CommitQueue.Outcome, of change: QueuedChange) throws -> String {
      switch outcome {
      case .failure(let error): return "\(error)"
      case .success(.replayed(let revision, let answer)):
        return "replayed \(revision) \(answer ?? [])"
      case .success(.applied(let applied)):
        let commit = applied.commit
        let layouts = commit.layouts.map { "\($0.layout) \($0.context)" }
        return "\(commit.revision) \(commit.updates) \(layouts)"
      }
    }

    private func elements(of dataset: String, _ cache: LayoutCache) throws -> [String] {
      try ["one", "two"].flatMap { layout in
        try cache.read(LayoutID(layout, of: dataset)) { snapshot in
          try snapshot.elements(in: Rect(x: .zero, y: .zero, width: 90, height: 2_000)).elements
            .map { "\($0.category) \($0.indexPath) \($0.frame)" }
        }
      }
    }

    func finish() throws {
      #expect(counts.applied > 30 && counts.rejected > 5)
      for cache in caches {
        #expect(try cache.verify().problems.isEmpty)
        try cache.close()
      }
    }
  }
}
