package import LayoutCache
import LayoutGeometry
import LayoutStore
import SumTree

// Decides the entries of a shared log. The caller ensures that only one thread at a time does so
// for each dataset.

extension LayoutCache {
  /// Consecutive entries of one dataset.
  package struct EntryRun: Sendable {
    package var dataset: String
    /// The position of the dataset before the first entry.
    package var position: SharedPosition
    /// The entries, without archives. Only the last may be a pin: its layout is laid out before the
    /// next entry.
    package var entries: [SharedEntry]
    /// The requests of entries as this process has made them, by their sequence.
    package var own: [Int: ChangeRequest]

    package init(
      of dataset: String, after position: SharedPosition, _ entries: [SharedEntry],
      own: [Int: ChangeRequest] = [:]
    ) {
      assert(entries.dropLast().allSatisfy { $0.kind != .pin }, "a pin is the last")
      (self.dataset, self.position, self.entries, self.own) = (dataset, position, entries, own)
    }
  }

  /// Decides entries of the shared log, in one transaction.
  ///
  /// Archives are loaded instead; see ``decideArchive(_:after:in:into:next:)``.
  ///
  /// - Parameter runs: Runs of different datasets.
  /// - Returns: The outcome of each entry, by run.
  /// - Throws: ``ReplicationError``; ``LayoutCacheError`` with `database`. No entry is decided
  ///   then.
  package func decide(_ runs: [EntryRun], in log: [UInt8]) throws -> [[DecidedOutcome]] {
    let logged = try runs.map { run in
      (
        dataset: run.dataset,
        requests: try run.entries.map {
          (request: try run.own[$0.sequence] ?? $0.changeRequest, time: $0.request.time)
        }
      )
    }
    return try decide(logged) { index, writer, dataset, decide in
      var replica = try writer.replica(of: dataset, at: runs[index].position, in: log)
      let outcomes = try decide()
      for entry in runs[index].entries { replica.advance(to: entry) }
      try writer.put(replica)
      return zip(runs[index].entries, outcomes).map { $1.numbered($0.sequence) }
    }
  }

  /// Lays out the layout that an entry has pinned, if no other entry has followed.
  package func layOutPinned(_ entry: SharedEntry, in dataset: String) throws {
    guard case .pin(let name, _) = try entry.changeRequest.work else { return }
    try prepareAsPinned(LayoutID(name, of: dataset))
  }
}

extension DecidedOutcome {
  /// Returns the outcome with the sequence of its entry.
  func numbered(_ sequence: Int) -> DecidedOutcome {
    map { outcome in
      guard case .applied(var applied) = outcome else { return outcome }
      applied.commit.sequence = sequence
      return .applied(applied)
    }
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

extension StoreWriter {
  /// Returns the replica row of a dataset, which must be at a position of its shared log.
  ///
  /// - Throws: ``ReplicationError`` with `diverged` if the dataset is at another position or
  ///   follows another log.
  func replica(
    of dataset: Int64, at position: SharedPosition, in log: [UInt8]
  ) throws -> ReplicaRow {
    let replica = try reader.replica(of: dataset, following: log)
    guard SharedPosition(replica) == position else { throw ReplicationError.diverged }
    return replica
  }
}

extension ReplicaRow {
  /// Records that the next entry was decided.
  mutating func advance(to entry: SharedEntry) {
    assert(
      entry.sequence == sequence + 1 && entry.isNext(after: chain),
      "an entry follows the one before it")
    (sequence, chain) = (entry.sequence, entry.chain)
  }
}

extension SharedEntry {
  /// Returns what `decode` reads from the entry.
  ///
  /// - Throws: ``ReplicationError`` if the entry is malformed.
  func decoded<R>(_ decode: () throws -> R) throws -> R {
    do {
      return try decode()
    } catch let error as ByteError {
      throw ReplicationError.doesNotApply("entry \(sequence): \(error)")
    }
  }

  /// The request to be decided.
  ///
  /// - Throws: ``ReplicationError`` if the entry is malformed.
  package var changeRequest: ChangeRequest {
    get throws {
      if kind != .archive { return try decoded { try ChangeRequest(encoded: request.payload) } }
      throw ReplicationError.doesNotApply("entry \(sequence) names an archive")
    }
  }
}
