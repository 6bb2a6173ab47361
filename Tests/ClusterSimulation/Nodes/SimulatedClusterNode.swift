import CollectionLayout
package import LayoutCache
package import LayoutCluster
import LayoutGeometry
import LayoutReplication
import Logging
package import TestSupport

/// The production node, with its own file, in a ``Simulation``.
///
/// Its calls of the log may throw ``Killed``, which it passes on; then ``restart()`` is called.
/// While one of its steps waits for the log, it takes no other step.
package final class SimulatedClusterNode {
  private let handle: SimulatedLogHandle
  let clients: SimulatedClients
  private let folder: TemporaryDirectory
  let store: any SharedLog
  /// The log view that records imports; `nil` if the node imports nothing.
  let imports: ImportingLog?
  /// The number of times that the node has lost its memory or a dataset.
  package private(set) var life = 0
  private var parts: (cache: LayoutCache, node: ClusterNode)?

  /// - Parameter makeStore: Creates the node's view of the log; a wrong one breaks a rule.
  package init(
    _ handle: SimulatedLogHandle, _ clients: SimulatedClients, _ imports: SimulatedImports?,
    _ makeStore: (any SharedLog) -> any SharedLog
  ) throws {
    (self.handle, self.clients) = (handle, clients)
    self.imports = imports.map { ImportingLog(handle, $0) }
    store = makeStore(CostlyLog(self.imports ?? handle))
    folder = try TemporaryDirectory()
    try restart()
  }

  /// Returns the description of such nodes for a simulation.
  ///
  /// - Parameters:
  ///   - hasImports: Whether clients also import items, and create datasets by imports.
  ///   - changesNames: Whether clients also create, remove and rename datasets, and nodes make
  ///     checkpoints and evict datasets by themselves.
  ///   - believesReads: Whether reads are trusted without being confirmed.
  ///   - makeStore: Creates a node's view of the log.
  package static func program(
    hasImports: Bool = true, changesNames: Bool = true, believesReads: Bool = false,
    _ makeStore: @escaping (any SharedLog) -> any SharedLog = { $0 }
  ) throws -> SimulatedProgram {
    let imports = SimulatedImports()
    let replay = try ClusterReplay(imports)
    var weights: [SimulatedStep: Int] = [
      .propose: 8, .query: 6, .prepare: 2, .setLayout: 2, .poll: 4, .evict: 2, .damage: 1,
      .checkpoint: 2, .restart: 1,
    ]
    if hasImports { weights[.importItems] = 4 }
    if changesNames { weights.merge([.create: 1, .remove: 1, .rename: 2, .upkeep: 2]) { $1 } }
    return SimulatedProgram(
      weights: weights, unmadeCount: hasImports || changesNames ? 2 : 0,
      dueCost: changesNames ? 20_000 : nil,
      makeNode: { handle, clients in
        handle.believesReads = believesReads
        return try SimulatedClusterNode(handle, clients, hasImports ? imports : nil, makeStore)
      },
      write: { entry in
        imports.name(of: entry) ?? (try? entry.changeRequest)?.request?.key
          ?? Feeds.name(ofWriteWithoutKey: entry)
      },
      isImport: { imports.name(of: $0) != nil },
      decide: { try replay.decisions(of: $0) },
      replay: { dataset, sequence, question in
        do {
          return try replay.digest(of: dataset, at: sequence, question)
        } catch let misfit as FeedImport.Misfit {
          return "an import came to \(misfit.found), not \(misfit.expected ?? [])"
        } catch {
          return nil
        }
      })
  }

  package func restart() throws {
    parts = nil
    life += 1
    let handle = handle
    // Clocks differ by hours, up to the time for which idempotency keys are stored.
    let skew = Int64(handle.node % 3 - 1) * 11 * 60 * 60 * 1000
    let time = { @Sendable in 1_700_000_000_000 + handle.now + skew }
    let cache = try Self.cache(
      at: folder.path(of: "node.sqlite"), archiveChunkBytes: imports == nil ? nil : 256,
      clock: WallClock(now: time))
    var options = ClusterOptions()
    // No back-off: each call meets its own faults.
    options.onlyPollsAsk = false
    // Simulated faults raise the version occasionally.
    options.rules = 1...Int.max
    options.now = { .milliseconds(handle.now) }
    options.time = time
    options.diskBytes = 1
    options.upkeepInterval = .milliseconds(100)
    options.timeout = .milliseconds(400)
    options.pause = { _ in handle.pause(ticks: 20) }
    let node = try ClusterNode(of: store, on: cache, options: options)
    parts = (cache, node)
  }

  /// Opens a cache with small tree nodes and no background work.
  package static func cache(
    at path: String, archiveChunkBytes: Int? = nil, clock: WallClock = .system
  ) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    if let archiveChunkBytes { options.archiveChunkBytes = archiveChunkBytes }
    options.lookInterval = nil
    options.treeShapes = .tiny
    // Damage is intended here, so it is not logged.
    let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    return try LayoutCache(path: path, options: options, logger: logger, clock: clock)
  }

  // MARK: Steps

  /// Takes a step, and records the observations of clients in ``SimulatedClients``.
  ///
  /// - Throws: ``Killed``, and `SharedLogFailure` if it gives up. Any other error is a finding
  ///   of the simulation.
  package func carryOut(
    _ step: SimulatedStep, on dataset: String, using generator: inout SeededGenerator
  ) throws {
    if parts == nil { try restart() }
    guard let (cache, node) = parts else { return }
    do {
      switch step {
      case .propose: try propose(on: dataset, cache, node, &generator)
      case .query: try query(dataset, cache, node, &generator)
      case .prepare:
        try node.ensureResident(dataset)
        _ = try cache.prepare(Feeds.layout(of: dataset, using: &generator))
      case .setLayout:
        try node.ensureResident(dataset)
        try cache.setLayout(
          Feeds.layout(of: dataset, using: &generator), to: Feeds.configuration(&generator))
      case .poll:
        try node.poll()
        if imports != nil, generator.oneIn(4) { _ = try store.sweepArchives(olderThan: 0.1) }
      case .importItems: try importItems(into: dataset, cache, node, &generator)
      case .evict:
        life += 1
        try node.evict(dataset)
      case .damage: try damage(&generator)
      case .checkpoint:
        try node.checkpoint(dataset)
        if generator.oneIn(2) { try node.cutLog(of: dataset) }
      case .restart: break
      case .create: try change(.created(dataset)) { _ = try cache.createDataset(dataset) }
      case .remove: try change(.removed(dataset)) { try cache.removeDataset(dataset) }
      case .rename:
        let other = "d\(Int.random(in: 0..<4, using: &generator))"
        if other == dataset { break }
        try change(.renamed(dataset, to: other)) {
          try cache.renameDataset(dataset, to: other)
        }
      case .upkeep:
        try keepUp()
        if generator.oneIn(2) {
          life += 1
          try node.evictUnused()
        }
      }
    } catch let error as LayoutCacheError {
      guard Feeds.isExpected(error) else { throw error }
    }
  }

  private func propose(
    on dataset: String, _ cache: LayoutCache, _ node: ClusterNode,
    _ generator: inout SeededGenerator
  ) throws {
    try node.ensureResident(dataset)
    let keys = try Feeds.keys(of: dataset, in: cache)
    let isUndo = generator.oneIn(12)
    let hasKey = generator.oneIn(2)
    let operations = try Feeds.batch(on: keys, using: &generator)
    try clients.write(session: clients.session(using: &generator), named: dataset) { name in
      do {
        let commit: Commit
        if hasKey || isUndo {
          let request = try IdempotentRequest(key: name, owner: "", bodyHash: [])
          let outcome =
            isUndo
            ? try cache.undo(dataset, once: request) { _ in [] }
            : try cache.update(dataset, with: operations, once: request) { _ in [] }
          guard case .applied(let applied) = outcome else { return .unknown }
          commit = applied.commit
        } else {
          commit = try cache.update(dataset, with: operations + Feeds.operations(naming: name))
        }
        guard let sequence = commit.sequence else { return .unknown }
        return .committed(sequence: sequence, revision: commit.revision)
      } catch let error as LayoutCacheError {
        guard Feeds.isExpected(error) else { throw error }
        if case .outcomeUnknown = error.code { return .unknown }
        return .refused
      }
    }
  }

  private func query(
    _ dataset: String, _ cache: LayoutCache, _ node: ClusterNode,
    _ generator: inout SeededGenerator
  ) throws {
    let visit = try node.visit(dataset)
    guard let id = try node.position(of: dataset)?.dataset else { return }
    let session = clients.session(using: &generator)
    let least = clients.leastSequence(of: session, in: id)
    let layout = Feeds.layout(of: dataset, using: &generator).layout
    let isVisit = generator.oneIn(2)
    try clients.read(id, named: dataset, session: session) {
      if !isVisit, try node.position(of: dataset).map({ $0.sequence < least }) ?? true {
        try node.bringUpToDate(dataset, since: .milliseconds(handle.now))
      }
      var reading = try reading(of: layout, in: dataset, cache, node)
      if isVisit {
        // The same check as in the service.
        guard visit.isGood else { return nil }
        reading.age = visit.age.map(Self.milliseconds)
      }
      try note(reading, visit, of: dataset, cache)
      // Another dataset may have taken the name in the meantime.
      guard try node.position(of: dataset)?.dataset == id else { return nil }
      return reading.sequence >= least ? reading : nil
    }
  }

  /// Records a state that a client has seen, with its token.
  private func note(
    _ reading: ClientOperation.Reading, _ visit: ReadLease, of dataset: String,
    _ cache: LayoutCache
  ) throws {
    guard let node = parts?.node, let position = try node.position(of: dataset),
      position.sequence == reading.sequence, let token = visit.token
    else { return }
    clients.note(
      Sighting(
        name: dataset, node: handle.node, life: life, token: token,
        dataset: position.dataset, sequence: position.sequence, chain: position.chain,
        incarnation: try cache.dataset(dataset).incarnation.rawValue))
  }

  /// Returns the node's answer to a client that has seen a state, perhaps at another node; `nil` if
  /// it does not have the dataset.
  package func answer(to sighting: Sighting) throws -> Sighting.Answer? {
    guard let (cache, node) = parts else { return nil }
    var isAccepted = true
    do {
      _ = try node.visit(sighting.name, ReadBounds(least: .position(sighting.token)))
    } catch is ClusterError {
      isAccepted = false
    }
    let present = try cache.dataset(sighting.name).incarnation
    return Sighting.Answer(isAccepted: isAccepted, incarnation: present.rawValue)
  }

  /// Returns an answer with its position.
  private func reading(
    of layout: String, in dataset: String, _ cache: LayoutCache, _ node: ClusterNode
  ) throws -> ClientOperation.Reading {
    let (digest, revision) = try Feeds.digest(of: layout, in: dataset, cache)
    // With one thread, nothing can happen between the answer and this call.
    guard let position = try node.position(of: dataset) else {
      throw LayoutCacheError(.noSuchDataset(dataset))
    }
    return ClientOperation.Reading(
      question: layout, sequence: position.sequence,
      revision: revision, chain: hexadecimal(position.chain), digest: digest,
      age: node.age(of: dataset).map(Self.milliseconds))
  }

  private static func milliseconds(_ age: Duration) -> Int64 {
    age.components.seconds * 1000 + age.components.attoseconds / 1_000_000_000_000_000
  }

  private func change(_ kind: NameChange.Kind, _ body: () throws -> Void) throws {
    try clients.change(kind, by: handle.node) {
      do {
        try body()
        return .done
      } catch let error as LayoutCacheError {
        guard Feeds.isExpected(error) else { throw error }
        if case .outcomeUnknown = error.code { return .unknown }
        return .refused
      }
    }
  }

  /// Corrupts some stored bytes.
  private func damage(_ generator: inout SeededGenerator) throws {
    parts = nil
    let raw = try RawDatabase(path: folder.path(of: "node.sqlite"))
    // Corrupts nodes of layouts. Damage in a dataset's own nodes is found by `verify` and by
    // readers.
    try raw.execute(
      """
      UPDATE nodes SET payload = zeroblob(length(payload)) WHERE id IN (
        SELECT nodes.id FROM nodes JOIN layouts ON nodes.id / 274877906944 = layouts.space
        ORDER BY nodes.id LIMIT 1 OFFSET \(Int.random(in: 0..<8, using: &generator)))
      """)
    try restart()
  }

  // MARK: The end

  /// Follows all datasets to the end of the log, which no longer has faults.
  package func follow(_ datasets: [String]) throws {
    if parts == nil { try restart() }
    guard let (_, node) = parts else { return }
    // The file may have datasets under former names, which the poll corrects.
    for _ in 0..<3 {
      for dataset in datasets { try node.ensureResident(dataset) }
      try node.poll()
    }
  }

  package func keepUp() throws {
    for (dataset, error) in parts?.node.makeCheckpoints() ?? [] {
      if error is SharedLogFailure || error is Killed { continue }
      if let error = error as? LayoutCacheError, Feeds.isExpected(error) { continue }
      throw UpkeepFailure(dataset: dataset, error: error)
    }
  }

  private struct UpkeepFailure: Error {
    var dataset: String
    var error: any Error
  }

  /// Returns its answer and position, without calling the log.
  package func answer(of dataset: String) throws -> ClientOperation.Reading {
    guard let (cache, node) = parts else { preconditionFailure("it has followed") }
    return try reading(of: Feeds.layouts[0], in: dataset, cache, node)
  }
}
