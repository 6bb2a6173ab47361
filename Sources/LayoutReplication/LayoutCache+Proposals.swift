package import LayoutCache
import LayoutStore

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
    let (position, last, resolutions) = try resolve(
      requests, on: dataset,
      at: { try SharedPosition($0.replica(of: $1, following: log)) }, makeLayoutID: makeLayoutID)
    let now = max(last, clock.now())
    var sequence = position.sequence
    let proposals = zip(requests, resolutions).map { request, resolution -> Proposal in
      switch resolution {
      case .change(let change):
        sequence += 1
        return .entry(SharedEntry(sequence, change, of: request, at: now), change)
      case .settled(let outcome): return .settled(outcome)
      case .failed(let error): return .failed(error)
      case .mustWait: return .mustWait
      }
    }
    return (position, proposals)
  }
}

extension StoreReader {
  /// Returns the row of a dataset's replica.
  ///
  /// - Throws: ``ReplicationError`` with `diverged` if the dataset follows another log or none.
  func replica(of dataset: Int64, following log: [UInt8]) throws -> ReplicaRow {
    guard let replica = try replica(of: dataset), replica.log == log else {
      throw ReplicationError.diverged
    }
    return replica
  }
}

extension SharedEntry {
  /// Creates the log entry for a change; the caller sets its chain.
  fileprivate init(
    _ sequence: Int, _ change: ResolvedChange, of request: ChangeRequest, at time: Int64
  ) {
    let (kind, payload): (Kind, [UInt8]) =
      switch change.content {
      case .batch(_, let payload): (.batch, payload)
      case .definition(let definition): (.definition, definition.encode())
      case .pin(let pin): (.pin, pin.encode())
      case .archive(let archive): (.archive, archive.encode())
      case .rules: (.rules, [])
      }
    self.init(
      sequence: sequence, revision: change.revision, kind: kind, proposal: request.proposal,
      request: request.request?.encode(), payload: payload, time: time, chain: [])
  }
}
