import CollectionLayout
import LayoutStore
import SumTree
import Synchronization

// The functions for a node's file in a cluster: they resolve changes and apply the entries of the
// shared log. The caller ensures that only one thread at a time does so for each dataset.

extension LayoutCache {
  /// Sets the coordinator that decides on all changes of the cache's datasets from now on.
  ///
  /// The cache does not retain it.
  ///
  /// - Precondition: The cache has no coordinator yet, and has made no change.
  package func join(_ coordinator: any ChangeCoordinator) {
    joined.withLock {
      precondition($0.coordinator == nil, "a cache has one coordinator")
      $0.coordinator = coordinator
    }
    isOfNodeIfKnown.withLock { $0 = true }
  }

  /// Returns the position of a dataset in the shared log.
  ///
  /// - Returns: `nil` if the file does not have the dataset, or the dataset follows another log.
  package func position(of dataset: String, in log: [UInt8]) throws -> SharedPosition? {
    try replica(of: dataset, in: log)?.position
  }

  /// Returns a dataset that follows a shared log; otherwise like ``position(of:in:)``.
  package func replica(of dataset: String, in log: [UInt8]) throws -> Replica? {
    try mappingErrors(path) {
      try store.read { reader in
        guard let row = try reader.dataset(named: dataset),
          let replica = try reader.replica(of: row.id), replica.log == log
        else { return nil }
        return Replica(row, replica, isLoading: try reader.isLoading(row.id))
      }
    }
  }

  /// Returns the ``Replica/history`` of a dataset.
  ///
  /// - Parameters:
  ///   - begin: The dataset's chain before any entry.
  ///   - epoch: Raised when the log has lost entries, since another history begins then.
  package static func history(of begin: [UInt8], in log: [UInt8], epoch: Int) -> Int64 {
    HistoryNumber(of: begin, in: log, epoch: epoch).rawValue
  }

  /// Returns the revision of a dataset in the file. Only the end of its log is read.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  package func revision(of dataset: String) throws -> Int {
    try mappingErrors(path) {
      try store.read { try $0.logHead(of: $0.requireDataset(dataset).id).revision }
    }
  }

  /// A dataset in the file that follows a shared log.
  package struct Replica: Hashable, Sendable {
    package var name: String
    /// The name of the shared log.
    package var log: [UInt8]
    package var position: SharedPosition
    /// The identity of its history: the same on all nodes, and part of all incarnations.
    package var history: Int64
    /// Whether it was loaded, and has not reached the end of the log since.
    package var isLoading: Bool

    init(_ row: DatasetRow, _ replica: ReplicaRow, isLoading: Bool) {
      name = row.name
      log = replica.log
      position = SharedPosition(replica)
      history = row.incarnation.rawValue
      self.isLoading = isLoading
    }
  }

  /// Returns the datasets in the file that follow shared logs, and the names of the other
  /// datasets.
  package func replicas() throws -> (following: [Replica], own: [String]) {
    try mappingErrors(path) {
      try store.read { reader in
        var (following, own): ([Replica], [String]) = ([], [])
        for id in try reader.datasetIDs() {
          let row = try reader.dataset(id: id)
          guard let replica = try reader.replica(of: id) else {
            own.append(row.name)
            continue
          }
          following.append(Replica(row, replica, isLoading: try reader.isLoading(id)))
        }
        return (following, own)
      }
    }
  }

  /// Returns the number of bytes used in the file and its write-ahead log.
  package func usedBytes() throws -> Int {
    try mappingErrors(path) { try store.read { try $0.usedBytes() } + store.writeAheadLogBytes() }
  }

  /// Moves the write-ahead log into the file. Readers are hardly waited for, because writers wait
  /// too.
  ///
  /// - Returns: Whether the log is empty.
  @discardableResult
  package func emptyWriteAheadLog() throws -> Bool {
    try mappingErrors(path) { try store.emptyWriteAheadLog(waiting: Self.logPatience) }
  }

  private static let logPatience = 0.02

  /// Returns whether a dataset's commits have listeners.
  package func isFollowed(_ dataset: String) -> Bool { following.isFollowed(dataset) }

  /// Creates a dataset in its state before the first entry of the shared log: empty, at revision
  /// 1, and being loaded.
  ///
  /// An existing dataset of that name in the file is deleted.
  package func adopt(
    _ name: String, at position: SharedPosition, in log: [UInt8], epoch: Int = 1, time: Int64
  ) throws {
    precondition(position.sequence == 0, "a dataset with entries is followed")
    try call { _ in
      try store.write { writer in
        if let old = try writer.reader.dataset(named: name) { try writer.delete(old) }
        let row = DatasetRow(
          id: try writer.freshDatasetID(), name: name, space: try writer.makeSpace(),
          nextNode: 1, revision: 0, sectionCount: 0, itemCount: 0, roots: [],
          incarnation: HistoryNumber(of: position.chain, in: log, epoch: epoch))
        try put(
          row, DatasetTrees(hash: store.hash, shapes: options.treeShapes), at: time, writer)
        try writer.beginLoading(
          ReplicaRow(
            dataset: row.id, log: log, number: position.dataset, sequence: 0,
            chain: position.chain))
      } didCommit: {
        drop(name)
      }
      reclaimAfterCommit()
    }
  }

  /// Records that a dataset that was being loaded has reached the end of the shared log.
  package func endLoading(_ dataset: String) throws {
    try call { _ in
      try store.write { writer in
        guard let row = try writer.reader.dataset(named: dataset) else { return }
        try writer.endLoading(row.id)
      }
    }
  }

  /// Deletes a dataset from the file only, whether or not the shared log still has it.
  package func forget(_ dataset: String) throws {
    try call { _ in
      guard try store.read({ try exists(dataset, $0) }) else { return }
      try apply(.remove(dataset))
      reclaimAfterCommit()
    }
  }

  /// Renames a dataset in the file to its new name in the shared log.
  package func takeName(_ name: String, from old: String) throws {
    try call { _ in try apply(.rename(old, to: name)) }
  }

  /// An outcome of resolving a change for a shared log.
  package enum Proposal: Sendable {
    /// The entry to append to the log, whose chain the caller sets, and the resolved change to
    /// apply with it.
    case entry(SharedEntry, ResolvedChange)
    /// The change has no effect.
    case settled(ChangeOutcome)
    case failed(any Error)
    /// The change must wait until the earlier changes are committed.
    case mustWait
  }

  /// Resolves changes, each on the result of the previous ones.
  ///
  /// - Parameter makeLayoutID: Returns a layout ID that the log has never used.
  /// - Returns: The dataset's position, and a proposal for each change.
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; ``ReplicationError`` if the dataset
  ///   does not follow the log.
  package func resolve(
    _ requests: [ChangeRequest], on dataset: String, in log: [UInt8],
    makeLayoutID: @escaping () throws -> Int64
  ) throws -> (position: SharedPosition, proposals: [Proposal]) {
    try call { generation in
      let known = openDatasets.known(dataset)
      let (state, position, proposals) = try store.read { reader in
        var state: DatasetState
        if let present = known.state, known.generation == generation,
          requests.allSatisfy(\.isBatch)
        {
          // The dataset itself is as in the file: only the caller changes it. Layouts published
          // by others are looked up when a batch names one.
          state = present
        } else {
          state = try current(dataset, known: known.state, reader: reader)
        }
        guard let replica = try reader.replica(of: state.row.id), replica.log == log else {
          throw ReplicationError.diverged
        }
        for request in requests {
          guard case .continueRebalance(let names) = request.work else { continue }
          try bring(names, request.viewport.layouts, into: &state, reader)
        }
        let session = TreeSession(reader, edits: state.edits)
        defer { noteLoaded(session) }
        // Whether a request is a repeat follows from the log alone: no node's clock decides on it,
        // and times never go back.
        let last = try reader.logHead(of: state.row.id).time
        let position = SharedPosition(replica)
        var resolver = ChangeResolver(
          state, in: session, at: position, reader, time: last, kinds: customKinds,
          layoutsMax: options.layoutsMax, makeLayoutID: makeLayoutID)
        return (state, position, resolver.proposals(for: requests, after: position, last, clock))
      }
      openDatasets.take(state, generation: generation, since: known)
      return (position, proposals)
    }
  }

  /// Resolves changes on the result of entries that are being applied.
  ///
  /// - Parameters:
  ///   - entries: At least one: entries of the log after the file's position, or some that it has
  ///     already.
  ///   - position: The position after the entries.
  /// - Returns: A proposal for each change; `nil` if they must be resolved once the entries are
  ///   applied.
  package func resolve(
    _ requests: [ChangeRequest], on dataset: String, after entries: [PendingEntry],
    at position: SharedPosition
  ) throws -> [Proposal]? {
    guard requests.allSatisfy(\.isBatch), let last = entries.last?.entry.time else { return nil }
    return try call { generation in
      let known = openDatasets.known(dataset)
      guard let state = known.state, known.generation == generation else { return nil }
      return try store.read { reader in
        let session = TreeSession(reader, edits: state.edits)
        defer { noteLoaded(session) }
        var resolver = ChangeResolver(
          state, in: session, at: position, reader, time: last, kinds: customKinds,
          layoutsMax: options.layoutsMax
        ) {
          preconditionFailure("a batch attaches no layout")
        }
        for pending in entries {
          guard try resolver.advance(by: pending.entry, pending.change()) else { return nil }
        }
        return resolver.proposals(for: requests, after: position, last, clock)
      }
    }
  }

  /// Activates the layouts whose rebalances a commit continues.
  private func bring(
    _ names: [String]?, _ layouts: UpdatedLayouts, into state: inout DatasetState,
    _ reader: StoreReader
  ) throws {
    guard case .upToDate = layouts else { return }
    for row in try reader.layouts(of: state.row.id) where names?.contains(row.name) ?? true {
      _ = try state.bring(row.name, mayLag: true, reader: reader, kinds: customKinds)
    }
  }
}

extension ChangeResolver {
  /// Resolves changes into entries.
  ///
  /// - Parameters:
  ///   - position: The position after which the entries are appended.
  ///   - last: The time of the entry before.
  fileprivate mutating func proposals(
    for requests: [ChangeRequest], after position: SharedPosition, _ last: Int64,
    _ clock: WallClock
  ) -> [LayoutCache.Proposal] {
    let now = max(last, clock.now())
    var sequence = position.sequence
    return requests.map { request in
      switch resolve(request) {
      case .change(let change):
        sequence += 1
        return .entry(change.entry(sequence, of: request, at: now), change)
      case .settled(let outcome): return .settled(outcome)
      case .failed(let error): return .failed(error)
      case .mustWait: return .mustWait
      }
    }
  }
}

extension HistoryNumber {
  /// Creates the identity of a dataset in a log. It is the same on all nodes, but differs once
  /// the log is restored or has lost entries, because another history begins there.
  ///
  /// - Parameter begin: The dataset's chain before any entry.
  init(of begin: [UInt8], in log: [UInt8], epoch: Int) {
    func prefix(_ bytes: [UInt8]) -> UInt64 {
      bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    // Spreads the number over all bits; nothing for the first epoch.
    let later = UInt64(truncatingIfNeeded: epoch - 1) &* 0x9e37_79b9_7f4a_7c15
    let bits = prefix(begin) ^ prefix(log) ^ later
    self.init(rawValue: Int64(bits & UInt64(Int64.max)))
  }
}
