import CollectionLayout
package import LayoutCache
import LayoutGeometry
import TestSupport

/// Random calls of a database on a single machine, compared with the same calls of one whose
/// changes a coordinator resolves and applies.
///
/// Two caches use the single machine's file, as two processes do. Each call goes to one of them and
/// to the cache with the coordinator: both must return the same commits and errors, and all three
/// show the same layouts. Files are checkpointed now and then, caches closed and opened again, and
/// requests with an idempotency key sent twice.
package struct SingleMachineRun {
  package struct Report {
    /// The differences found; empty if there are none.
    package var findings: [String] = []
    /// Calls by their kind, failed ones as "error".
    package var counts: [String: Int] = [:]
  }

  private static let datasets = ["feed", "other"]

  private let folder: TemporaryDirectory
  private let coordinator: LocalCoordinator
  private let shared: LayoutCache
  private var alone: [LayoutCache]
  private var generator: SeededGenerator
  private var requestCount = 0
  private var report = Report()

  /// - Parameter alter: How the coordinator changes requests.
  package static func run(
    seed: UInt64, steps: Int = 60,
    alter: @escaping @Sendable (ChangeRequest) -> ChangeRequest = { $0 }
  ) throws -> Report {
    var run = try SingleMachineRun(seed: seed, alter)
    for step in 0..<steps where run.report.findings.isEmpty { try run.takeStep(step) }
    for cache in run.alone + [run.shared] {
      let problems = try cache.verify().problems
      if !problems.isEmpty { run.report.findings.append("verify: \(problems)") }
    }
    return run.report
  }

  private init(
    seed: UInt64, _ alter: @escaping @Sendable (ChangeRequest) -> ChangeRequest
  ) throws {
    generator = SeededGenerator(seed: seed)
    folder = try TemporaryDirectory()
    let folder = folder
    alone = try (0..<2).map { _ in
      try SimulatedClusterNode.cache(at: folder.path(of: "alone.sqlite"))
    }
    shared = try SimulatedClusterNode.cache(at: folder.path(of: "shared.sqlite"))
    coordinator = LocalCoordinator(for: shared, alter: alter)
    shared.join(coordinator)
    for cache in [alone[0], shared] { try cache.createDataset(Self.datasets[0]) }
  }

  // MARK: Steps

  private mutating func takeStep(_ step: Int) throws {
    let index = Int.random(in: 0..<alone.count, using: &generator)
    let dataset = generator.oneIn(5) ? Self.datasets[1] : Self.datasets[0]
    let call = try randomCall(on: dataset, of: alone[index])
    let results = [alone[index], shared].map { Self.outcome(of: call, on: $0) }
    let context = "step \(step), cache \(index), \(call)"
    report.counts[results[0].isError ? "error" : call.name, default: 0] += 1
    if results[0] != results[1] {
      report.findings.append("\(context): \(results[0]), and through the coordinator \(results[1])")
      return
    }
    try compareLayouts(context)
    if generator.oneIn(6) {
      try (alone + [shared]).randomElement(using: &generator)!.checkpoint()
    }
    if generator.oneIn(20) {
      try alone[index].close()
      alone[index] = try SimulatedClusterNode.cache(at: folder.path(of: "alone.sqlite"))
      // Commits list the layouts that a cache has answered from.
      try compareLayouts("opened again")
    }
  }

  private mutating func compareLayouts(_ context: String) throws {
    for dataset in Self.datasets {
      for layout in Feeds.layouts {
        let id = LayoutID(layout, of: dataset)
        let digests = try (alone + [shared]).map { try Self.digest(of: id, in: $0) }
        if Set(digests).count > 1 {
          report.findings.append("\(context): \(id) is \(digests)")
        }
      }
    }
  }

  // MARK: Calls

  private enum Call {
    case batch(String, [BatchOperation], Rect?, UpdatedLayouts)
    case request(String, [BatchOperation], IdempotentRequest)
    case undo(String, to: Int?)
    case rebalance(String)
    case set(LayoutID, LayoutConfiguration)
    case rename(LayoutID, String)
    case remove(LayoutID)
    case importItems(String, [Item], ImportMode)
    case create(String)
    case removeDataset(String)
    case renameDataset(String, String)

    var name: String {
      switch self {
      case .batch: "batch"
      case .request: "request"
      case .undo: "undo"
      case .rebalance: "rebalance"
      case .set: "set"
      case .rename: "rename"
      case .remove: "remove"
      case .importItems(_, _, let mode): "import \(mode)"
      case .create: "create dataset"
      case .removeDataset: "remove dataset"
      case .renameDataset: "rename dataset"
      }
    }
  }

  private mutating func randomCall(on dataset: String, of cache: LayoutCache) throws -> Call {
    let layout = LayoutID(Feeds.layouts.randomElement(using: &generator)!, of: dataset)
    switch Int.random(in: 0..<22, using: &generator) {
    case 0..<4: return .set(layout, try Feeds.configuration(&generator))
    case 4: return .rename(layout, Feeds.layouts.randomElement(using: &generator)!)
    case 5 where generator.oneIn(2): return .remove(layout)
    case 6, 7:
      // The dataset may have been removed.
      let revision = (try? cache.dataset(dataset).revision) ?? 1
      let target = Int.random(in: max(1, revision - 5)...revision, using: &generator)
      return .undo(dataset, to: generator.oneIn(2) ? nil : target)
    case 8: return .rebalance(dataset)
    case 9, 10:
      let mode = ([.append, .replace, .match] as [ImportMode]).randomElement(using: &generator)!
      // A node lays stable waterfalls out again if an import appends an eighth of the items; a
      // single machine keeps their columns.
      let present = (try? cache.dataset(dataset).itemCount) ?? 0
      let count =
        mode == .append ? max(0, present / 8 - 1) : Int.random(in: 1...30, using: &generator)
      let keys = Set((0..<count).map { _ in "k\(generator.next() % 300)" }).sorted()
      return .importItems(
        dataset, try keys.map { try Item(key: $0, width: 3, height: Double($0.utf8.count)) }, mode)
    case 11: return .create(dataset)
    case 12 where generator.oneIn(4): return .removeDataset(dataset)
    case 12: return .renameDataset(dataset, Self.datasets.randomElement(using: &generator)!)
    default: return try randomBatch(on: dataset, layout, of: cache)
    }
  }

  private mutating func randomBatch(
    on dataset: String, _ layout: LayoutID, of cache: LayoutCache
  ) throws -> Call {
    let keys = (try? Feeds.keys(of: dataset, in: cache)) ?? []
    let batch = try Feeds.batch(on: keys, using: &generator)
    if generator.oneIn(4) {
      // A third of the requests repeat an earlier key.
      if !generator.oneIn(3) || requestCount == 0 { requestCount += 1 }
      let number = Int.random(in: max(1, requestCount - 2)...requestCount, using: &generator)
      return .request(
        dataset, batch, try IdempotentRequest(key: "r\(number)", owner: "", bodyHash: []))
    }
    let visible =
      generator.oneIn(2)
      ? Rect(
        pointsX: 0, y: Double(Int.random(in: 0...60, using: &generator)), width: 100, height: 50)
      : nil
    return .batch(dataset, batch, visible, generator.oneIn(3) ? .named([layout.layout]) : .inUse)
  }

  // MARK: Outcomes

  private enum Outcome: Equatable {
    case commit(Commit)
    case text(String)
    case error(String)

    var isError: Bool { if case .error = self { true } else { false } }
  }

  private static func outcome(of call: Call, on cache: LayoutCache) -> Outcome {
    do {
      switch call {
      case .batch(let dataset, let operations, let visible, let layouts):
        return .commit(
          comparable(
            try cache.update(dataset, with: operations, visible: visible, preparing: layouts)))
      case .request(let dataset, let operations, let request):
        let outcome = try cache.update(dataset, with: operations, once: request) { _ in [] }
        switch outcome {
        case .applied(let applied): return .commit(comparable(applied.commit))
        // The coordinator stores no answers.
        case .replayed(let revision, _): return .text("applied by revision \(revision)")
        }
      case .undo(let dataset, let target):
        return .commit(comparable(try cache.undo(dataset, to: target)))
      case .rebalance(let dataset):
        return .commit(comparable(try cache.finishRebalancing(dataset)))
      case .set(let layout, let configuration):
        let (isNew, description) = try cache.setLayout(layout, to: configuration)
        return .text("\(isNew) \(description.configuration)")
      case .rename(let layout, let other): try cache.renameLayout(layout, to: other)
      case .remove(let layout): try cache.removeLayout(layout)
      case .importItems(let dataset, let items, let mode):
        let summary = try cache.importItems(into: dataset, mode: mode) { importer in
          for item in items { try importer.add(item, section: "s0") }
        }
        return .text("\(summary)")
      case .create(let dataset): try cache.createDataset(dataset)
      case .removeDataset(let dataset): try cache.removeDataset(dataset)
      case .renameDataset(let dataset, let other): try cache.renameDataset(dataset, to: other)
      }
      return .text("done")
    } catch {
      return .error("\(error)")
    }
  }

  /// Returns a commit without random or differing parts: history names, the entry in a log, and
  /// the work for layouts computed from scratch, which the coordinator does not count. The number
  /// of changed nodes depends on those that a cache has in memory, of which undo uses earlier ones.
  private static func comparable(_ commit: Commit) -> Commit {
    var commit = commit
    commit.incarnation = ""
    commit.sequence = nil
    for index in commit.layouts.indices {
      commit.layouts[index].incarnation = ""
      commit.layouts[index].context.work.changedNodes = 0
      if commit.layouts[index].context.invalidateEverything {
        commit.layouts[index].context.work = LayoutWork()
      }
    }
    return commit
  }

  private static func digest(of layout: LayoutID, in cache: LayoutCache) throws -> String {
    do {
      return try cache.read(layout) { snapshot in
        let page = try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
        return "\(snapshot.revision) "
          + page.elements.map { "\($0.indexPath) \($0.frame)" }.joined(separator: ", ")
      }
    } catch let error as LayoutCacheError {
      return "\(error)"
    }
  }
}
