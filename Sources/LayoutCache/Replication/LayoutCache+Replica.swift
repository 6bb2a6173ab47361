import CollectionLayout
import LayoutStore
import SumTree
import Synchronization

// What a node of a cluster does with its file: it asks what changes come to, and carries out
// what the shared log has decided on. Whoever calls sees to it that no two threads do so with
// one dataset at a time.

extension LayoutCache {
  /// Makes a coordinator decide on all changes of the cache's datasets from now on.
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

  /// How far a dataset has followed the shared log.
  ///
  /// - Returns: `nil` where the file does not have it, or it follows another log.
  package func position(of dataset: String, in log: [UInt8]) throws -> SharedPosition? {
    try mappingErrors(path) {
      try store.read { reader in
        guard let row = try reader.dataset(named: dataset),
          let replica = try reader.replica(of: row.id), replica.log == log
        else { return nil }
        return SharedPosition(replica)
      }
    }
  }

  /// The revision that the file has of a dataset; no more than the end of its log is read.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  package func revision(of dataset: String) throws -> Int {
    try mappingErrors(path) {
      try store.read { try $0.logHead(of: $0.requireDataset(dataset).id).revision }
    }
  }

  /// A dataset that the file has of a shared log.
  package struct Replica: Hashable, Sendable {
    package var name: String
    /// The name of the shared log.
    package var log: [UInt8]
    package var position: SharedPosition
  }

  /// The datasets that the file has of shared logs, and the names of those that follow none.
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
          following.append(
            Replica(
              name: row.name, log: replica.log,
              position: SharedPosition(replica)))
        }
        return (following, own)
      }
    }
  }

  /// The size of what the file holds, in bytes.
  package func usedBytes() throws -> Int {
    try mappingErrors(path) { try store.read { try $0.usedBytes() } }
  }

  /// Whether somebody listens to a dataset's commits.
  package func isFollowed(_ dataset: String) -> Bool { following.isFollowed(dataset) }

  /// Makes a dataset as the shared log has it before any entry: empty, at revision 1.
  ///
  /// A dataset of the name in the file is deleted.
  package func adopt(
    _ name: String, at position: SharedPosition, in log: [UInt8], time: Int64
  ) throws {
    precondition(position.sequence == 0, "what has entries is followed")
    try call { _ in
      try store.write { writer in
        if let old = try writer.reader.dataset(named: name) { try writer.delete(old) }
        let row = DatasetRow(
          id: try writer.freshDatasetID(), name: name, space: try writer.makeSpace(),
          nextNode: 1, revision: 0, sectionCount: 0, itemCount: 0, roots: [],
          incarnation: HistoryNumber(of: position.chain, in: log))
        try put(
          row, DatasetTrees(hash: store.hash, shapes: options.treeShapes), at: time, writer)
        try writer.put(
          ReplicaRow(
            dataset: row.id, log: log, number: position.dataset, sequence: 0,
            chain: position.chain))
      } didCommit: {
        drop(name)
      }
      reclaimAfterCommit()
    }
  }

  /// Takes a dataset out of the file; the shared log has it still, or not.
  package func forget(_ dataset: String) throws {
    try call { _ in
      guard try store.read({ try exists(dataset, $0) }) else { return }
      try apply(.remove(dataset))
      reclaimAfterCommit()
    }
  }

  /// Gives a dataset of the file the name that it has got in the shared log.
  package func takeName(_ name: String, from old: String) throws {
    try call { _ in try apply(.rename(old, to: name)) }
  }

  /// An outcome of resolving a change for a shared log.
  package enum Proposal: Sendable {
    /// The entry must be appended to the log; its chain is left to the caller. It is applied with
    /// the change as it was resolved.
    case entry(SharedEntry, ResolvedChange)
    /// It has no effect.
    case settled(ChangeOutcome)
    case failed(any Error)
    /// It must wait until the changes before it are committed.
    case mustWait
  }

  /// Resolves changes, each on the result of those before it.
  ///
  /// - Returns: The dataset's position, and a proposal for each change.
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; ``ReplicationError`` where the dataset
  ///   does not follow the log.
  package func resolve(
    _ requests: [ChangeRequest], on dataset: String, in log: [UInt8]
  ) throws -> (position: SharedPosition, proposals: [Proposal]) {
    try call { generation in
      let known = openDatasets.known(dataset)
      let (state, position, proposals) = try store.read { reader in
        var state: DatasetState
        if let present = known.state, known.generation == generation,
          requests.allSatisfy(\.isBatch)
        {
          // The dataset itself is as in the file: only the caller changes it, and the layouts that
          // others publish are looked up where a batch names one.
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
        let position = SharedPosition(replica)
        let session = TreeSession(reader, edits: state.edits)
        defer { noteLoaded(session) }
        let now = clock.now()
        var resolver = ChangeResolver(
          state, in: session, at: position, reader, time: now, kinds: customKinds,
          layoutsMax: options.layoutsMax
        ) {
          preconditionFailure("the shared log makes the ids of layouts")
        }
        var sequence = position.sequence
        let proposals = requests.map { request -> Proposal in
          switch resolver.resolve(request) {
          case .change(let change):
            sequence += 1
            return .entry(change.entry(sequence, of: request, at: now), change)
          case .settled(let outcome): return .settled(outcome)
          case .failed(let error): return .failed(error)
          case .mustWait: return .mustWait
          }
        }
        return (state, position, proposals)
      }
      openDatasets.take(state, generation: generation, since: known)
      return (position, proposals)
    }
  }

  /// Brings the layouts into use that a commit is to carry on.
  private func bring(
    _ names: [String]?, _ layouts: UpdatedLayouts, into state: inout DatasetState,
    _ reader: StoreReader
  ) throws {
    guard case .upToDate = layouts else { return }
    for row in try reader.layouts(of: state.row.id) where names?.contains(row.name) ?? true {
      _ = try state.bring(row.name, mayBeBehind: true, reader: reader, kinds: customKinds)
    }
  }
}

extension HistoryNumber {
  /// The identity of a dataset of a log: the same on all nodes, and another where the log was
  /// restored, since what comes after that is another history.
  ///
  /// - Parameter begin: The dataset's chain before any entry.
  init(of begin: [UInt8], in log: [UInt8]) {
    func prefix(_ bytes: [UInt8]) -> UInt64 {
      bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    let bits = prefix(begin) ^ prefix(log)
    self.init(rawValue: Int64(bits & UInt64(Int64.max)))
  }
}
