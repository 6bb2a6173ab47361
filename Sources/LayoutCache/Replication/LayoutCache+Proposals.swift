import LayoutGeometry
import LayoutStore
import SumTree

// Resolving changes into entries of the shared log.

extension LayoutCache {
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
          guard case .continueRebalance(let names, _) = request.work else { continue }
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

  /// Activates the layouts whose rebalances a commit continues.
  private func bring(
    _ names: [String]?, _ layouts: UpdatedLayouts, into state: inout DatasetState,
    _ reader: StoreReader
  ) throws {
    guard case .upToDate = layouts else { return }
    for row in try reader.layouts(of: state.row.id)
    where names?.contains(where: { $0.isExactly(row.name) }) ?? true {
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
      case .change(var change):
        // When the log has the entry, another state may be the present one.
        change.edited = nil
        sequence += 1
        return .entry(change.entry(sequence, of: request, at: now), change)
      case .settled(let outcome): return .settled(outcome)
      case .failed(let error): return .failed(error)
      case .mustWait: return .mustWait
      }
    }
  }
}
