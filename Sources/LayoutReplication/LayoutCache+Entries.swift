package import LayoutCache
import LayoutGeometry
import LayoutStore
import SumTree

// Applies the entries of a shared log. The caller ensures that only one thread at a time does so
// for each dataset.

extension LayoutCache {
  /// An entry of a shared log to be applied.
  package struct PendingEntry: Sendable {
    package var entry: SharedEntry
    /// The part of the result that a waiting caller wants to see.
    package var viewport: CommitViewport
    /// The change as resolved by this process; `nil` for an entry that was read from the log.
    private let resolved: ResolvedChange?

    package init(
      _ entry: SharedEntry, _ viewport: CommitViewport = CommitViewport(),
      as resolved: ResolvedChange? = nil
    ) {
      self.entry = entry
      self.viewport = viewport
      self.resolved = resolved
    }

    /// - Throws: ``ReplicationError`` if the entry is malformed.
    fileprivate var decided: DecidedChange {
      get throws {
        try entry.decoded {
          DecidedChange(
            try resolved ?? ResolvedChange(entry), viewport, at: entry.time,
            of: try entry.request.map { try IdempotentRequest($0) })
        }
      }
    }
  }

  /// Consecutive entries of one dataset.
  package struct EntryRun: Sendable {
    package var dataset: String
    /// The position of the dataset before the first entry.
    package var position: SharedPosition
    /// The entries. Only the last may be a pin: its layout is laid out before the next entry.
    package var entries: [PendingEntry]

    package init(
      of dataset: String, after position: SharedPosition, _ entries: [PendingEntry]
    ) {
      assert(entries.dropLast().allSatisfy { $0.entry.kind != .pin }, "a pin is the last")
      self.dataset = dataset
      self.position = position
      self.entries = entries
    }
  }

  /// Applies entries of the shared log, in one transaction.
  ///
  /// Archives are loaded instead; see ``acceptArchive(_:after:in:into:next:)``.
  ///
  /// - Parameter runs: Runs of different datasets.
  /// - Returns: The result of each entry, by run.
  /// - Throws: ``ReplicationError``; ``LayoutCacheError`` with `database`. No entry is applied
  ///   then.
  package func apply(_ runs: [EntryRun], in log: [UInt8]) throws -> [[AppliedChange]] {
    let decided = try runs.map {
      (dataset: $0.dataset, changes: try $0.entries.map { try $0.decided })
    }
    return try apply(decided) { index, writer, dataset, apply in
      var replica = try writer.replica(of: dataset, at: runs[index].position, in: log)
      var applied = try apply()
      for (number, entry) in runs[index].entries.lazy.map(\.entry).enumerated() {
        replica.advance(to: entry)
        applied[number].commit.sequence = entry.sequence
      }
      try writer.put(replica)
      return applied
    }
  }

  /// Lays out the layout pinned by an entry, if no other entry has followed.
  package func layOutPinned(_ entry: SharedEntry, in dataset: String) throws {
    let pin = try SharedPin(entry.payload)
    if let name = try readRows({ try $0.layout(id: pin.layout)?.name }) {
      try prepareAsPinned(LayoutID(name, of: dataset))
    }
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
  /// Records that the next entry was applied.
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

  /// Whether the entry changes the dataset's items or sections, and is not damaged.
  package var isCommit: Bool {
    kind == .archive || kind == .batch && (try? LoggedBatch(payload))?.isEmpty == false
  }
}

extension ResolvedChange {
  /// Creates the change that an entry of a log contains.
  ///
  /// - Throws: `ByteError` if the payload is malformed.
  fileprivate init(_ entry: SharedEntry) throws {
    let content: ChangeContent =
      switch entry.kind {
      case .batch: .batch(try LoggedBatch(entry.payload), payload: entry.payload)
      case .definition: .definition(try DefinitionChange(entry.payload))
      case .pin: .pin(try SharedPin(entry.payload))
      case .archive: .archive(try SharedArchive(entry.payload))
      case .rules: .rules
      }
    self.init(content: content, revision: entry.revision)
  }
}
