import CollectionLayout
import LayoutCache
import LayoutCluster
import LayoutGeometry
import Synchronization
import TestSupport

/// Random calls of a database on a single machine, compared with the same calls of nodes that share
/// a log.
///
/// Two caches use the single machine's file, as two processes do, and two nodes use one log. Each
/// call goes to one of the caches and to one of the nodes: both must return the same commits and
/// errors, and all four have the same items, marks and changes and show the same layouts. Files are
/// checkpointed now and then, caches closed and opened again, and requests with an idempotency key
/// sent twice.
package struct SingleMachineRun {
  package struct Report {
    /// The differences found; empty if there are none.
    package var findings: [String] = []
    /// Calls by their kind, failed ones as "error".
    package var counts: [String: Int] = [:]
  }

  private static let datasets = ["feed", "other"]

  private let folder: TemporaryDirectory
  private let log: SimulatedLog
  private let nodes: [(cache: LayoutCache, node: ClusterNode)]
  private let clock = Clock()
  private var alone: [LayoutCache]
  private var generator: SeededGenerator
  /// Whether layouts do not depend on history, and imports may be long: a node lays stable
  /// waterfalls out again if an import appends an eighth of the items, and a single machine keeps
  /// their columns.
  private let isExact: Bool
  private let dropsOperations: Bool
  private var requestCount = 0
  private var report = Report()

  private final class Clock: Sendable {
    private let time = Mutex(Duration.seconds(100))
    var now: Duration { time.withLock { $0 } }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  /// - Parameter dropsOperations: Whether nodes leave out operations, as if they were wrong.
  package static func run(
    seed: UInt64, steps: Int = 60, dropsOperations: Bool = false
  ) throws -> Report {
    var run = try SingleMachineRun(seed: seed, dropsOperations)
    try run.compare("at first")
    for step in 0..<steps where run.report.findings.isEmpty { try run.takeStep(step) }
    for cache in run.caches {
      let problems = try cache.verify().problems
      if !problems.isEmpty { run.report.findings.append("verify: \(problems)") }
    }
    return run.report
  }

  private init(seed: UInt64, _ dropsOperations: Bool) throws {
    generator = SeededGenerator(seed: seed)
    isExact = seed.isMultiple(of: 2)
    self.dropsOperations = dropsOperations
    let folder = try TemporaryDirectory()
    let log = SimulatedLog(seed: seed)
    alone = try (0..<2).map { _ in
      try SimulatedClusterNode.cache(at: folder.path(of: "alone.sqlite"))
    }
    var options = ClusterOptions()
    options.now = { [clock] in clock.now }
    options.pause = { [clock] in clock.pass($0) }
    nodes = try (0..<2).map { number in
      let cache = try SimulatedClusterNode.cache(
        at: folder.path(of: "\(number).sqlite"), archiveChunkBytes: 256)
      return (cache, try ClusterNode(of: log.handle(node: number), on: cache, options: options))
    }
    (self.folder, self.log) = (folder, log)
    for cache in [alone[0], nodes[0].cache] { try cache.createDataset(Self.datasets[0]) }
  }

  private var caches: [LayoutCache] { alone + nodes.map(\.cache) }

  // MARK: Steps

  private mutating func takeStep(_ step: Int) throws {
    let index = Int.random(in: 0..<alone.count, using: &generator)
    let (shared, _) = nodes.randomElement(using: &generator)!
    let dataset = generator.oneIn(5) ? Self.datasets[1] : Self.datasets[0]
    let call = try randomCall(on: dataset, of: alone[index])
    let archives = log.state.archiveCount
    let results = [
      Self.outcome(of: call, on: alone[index]),
      Self.outcome(of: dropsOperations ? call.withoutItsEnd : call, on: shared),
    ]
    let context = "step \(step), cache \(index), \(call)"
    report.counts[results[0].isError ? "error" : call.name, default: 0] += 1
    if log.state.archiveCount > archives { report.counts["archive", default: 0] += 1 }
    if results[0] != results[1] {
      report.findings.append("\(context): \(results[0]), and by a node \(results[1])")
      return
    }
    try compare(context)
    if generator.oneIn(6) { try caches.randomElement(using: &generator)!.checkpoint() }
    if generator.oneIn(20) {
      try alone[index].close()
      alone[index] = try SimulatedClusterNode.cache(at: folder.path(of: "alone.sqlite"))
      // Commits list the layouts that a cache has answered from.
      try compare("opened again")
    }
  }

  /// Compares all caches, once the nodes have followed the log.
  private mutating func compare(_ context: String) throws {
    clock.pass(.seconds(2))
    let present = try alone[0].datasets().map(\.name)
    for (_, node) in nodes {
      for dataset in present { try node.ensureResident(dataset) }
      try node.poll()
    }
    for dataset in Self.datasets {
      for layout in Feeds.layouts {
        let id = LayoutID(layout, of: dataset)
        let digests = try caches.map { try Self.digest(of: id, in: $0) }
        if Set(digests).count > 1 { report.findings.append("\(context): \(id) is \(digests)") }
      }
      guard present.contains(dataset) else { continue }
      let contents = try caches.map { try Contents(of: dataset, in: $0) }
      if Set(contents).count > 1 { report.findings.append("\(context): \(contents)") }
      guard contents[0].revision > 1 else { continue }
      let changes = try caches.map {
        "\(try $0.changes(of: dataset, since: contents[0].revision - 1).updates)"
      }
      if Set(changes).count > 1 { report.findings.append("\(context): \(changes)") }
    }
    let named = log.state.datasets.values.reduce(0) { $0 + $1.archives.count }
    // Those of a removed dataset are swept later.
    if report.counts["remove dataset"] == nil, log.state.archiveCount != named {
      report.findings.append("\(context): an archive remains that no entry names")
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
    case list(String, [MatchedSection])
    case importItems(String, FeedImport)
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
      case .list: "list"
      case .importItems(_, let asked): "import \(asked.mode)"
      case .create: "create dataset"
      case .removeDataset: "remove dataset"
      case .renameDataset: "rename dataset"
      }
    }

    var withoutItsEnd: Call {
      guard case .batch(let dataset, let operations, let visible, let layouts) = self,
        operations.count > 2
      else { return self }
      return .batch(dataset, operations.dropLast(), visible, layouts)
    }
  }

  private mutating func randomCall(on dataset: String, of cache: LayoutCache) throws -> Call {
    let layout = LayoutID(Feeds.layouts.randomElement(using: &generator)!, of: dataset)
    switch Int.random(in: 0..<22, using: &generator) {
    case 0..<4: return .set(layout, try configuration())
    case 4: return .rename(layout, Feeds.layouts.randomElement(using: &generator)!)
    case 5 where generator.oneIn(2): return .remove(layout)
    case 5: return try randomList(on: dataset, of: cache)
    case 6, 7:
      // The dataset may have been removed.
      let revision = (try? cache.dataset(dataset).revision) ?? 1
      let target = Int.random(in: max(1, revision - 5)...revision, using: &generator)
      return .undo(dataset, to: generator.oneIn(2) ? nil : target)
    case 8: return .rebalance(dataset)
    case 9, 10: return .importItems(dataset, try randomImport(into: dataset, of: cache))
    case 11: return .create(dataset)
    case 12 where generator.oneIn(4): return .removeDataset(dataset)
    case 12: return .renameDataset(dataset, Self.datasets.randomElement(using: &generator)!)
    default: return try randomBatch(on: dataset, layout, of: cache)
    }
  }

  private mutating func configuration() throws -> LayoutConfiguration {
    let width = Int.random(in: 1...3, using: &generator) * 100
    let keeps = generator.oneIn(2) ? #","keepsMeasuredLengths":true"# : ""
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      return try ConfigurationText.decode(
        #"""
        {"container":{"width":\#(width)},"section":{"columns":1,"itemLength":"natural"},
         "styles":{"wide":{"kind":"grid","columns":3}}\#(keeps)}
        """#)
    case _ where isExact:
      return try ConfigurationText.decode(
        #"""
        {"container":{"width":\#(width)},
         "section":{"columns":\#(width / 100),"assignment":"exact"}}
        """#)
    default: return try Feeds.configuration(&generator)
    }
  }

  private mutating func randomImport(
    into dataset: String, of cache: LayoutCache
  ) throws -> FeedImport {
    if isExact { return try FeedImport.random(using: &generator) }
    let mode = ([.append, .replace, .match] as [ImportMode]).randomElement(using: &generator)!
    let present = (try? cache.dataset(dataset).itemCount) ?? 0
    let count =
      mode == .append ? max(0, present / 8 - 1) : Int.random(in: 1...30, using: &generator)
    let keys = Set((0..<count).map { _ in "k\(generator.next() % 300)" }).sorted()
    return FeedImport(
      mode: mode, duplicates: .fail,
      rows: try keys.map { ("s0", try Item(key: $0, width: 3, height: Double($0.utf8.count))) })
  }

  /// A part of the items in another order, some of them in other sections.
  private mutating func randomList(on dataset: String, of cache: LayoutCache) throws -> Call {
    var keys = ((try? Feeds.keys(of: dataset, in: cache)) ?? []).filter { _ in
      !generator.oneIn(4)
    }
    if generator.oneIn(2) { keys.shuffle(using: &generator) }
    let cut = keys.count / 2
    return .list(
      dataset,
      try [("s1", keys[..<cut]), ("s0", keys[cut...])].map { section, keys in
        MatchedSection(
          key: section,
          items: try keys.map { try Item(key: $0, width: 5, height: Double(1 + $0.utf8.count)) })
      })
  }

  /// Measured lengths, styles and marks, of which some are rejected.
  private mutating func randomOperation(on keys: [String], _ layout: String) -> BatchOperation {
    let key = keys.randomElement(using: &generator) ?? "none"
    let section = Feeds.section(&generator)
    let length = Length.points(Double(Int.random(in: 10...90, using: &generator)))
    return switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1: .prefer(layout: layout, key: key, length: generator.oneIn(4) ? nil : length)
    case 2: .resetLengths(layout: layout)
    case 3, 4: .style(section: section, style: generator.oneIn(3) ? nil : "wide")
    default: .mark(source: section, position: key)
    }
  }

  private mutating func randomBatch(
    on dataset: String, _ layout: LayoutID, of cache: LayoutCache
  ) throws -> Call {
    let keys = (try? Feeds.keys(of: dataset, in: cache)) ?? []
    var batch = try Feeds.batch(on: keys, using: &generator)
    while generator.oneIn(3) { batch.append(randomOperation(on: keys, layout.layout)) }
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
        // Nodes store no answers.
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
      case .list(let dataset, let sections):
        return .commit(comparable(try cache.update(dataset, toMatch: sections)))
      case .importItems(let dataset, let asked):
        return .text("\(try asked.run(on: cache, into: dataset))")
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
  /// the work for layouts computed from scratch, which nodes do not count. The number
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
