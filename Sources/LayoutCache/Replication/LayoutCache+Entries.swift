import CollectionLayout
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

    /// - Throws: `ByteError` if the payload is malformed.
    func change() throws -> ResolvedChange {
      try resolved ?? ResolvedChange(entry)
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
    try call { _ in
      let asked = runs.map { openDatasets.known($0.dataset).asked }
      return try changeAll(runs.map(\.dataset)) { index, change in
        var replica = try change.replica(at: runs[index].position, of: log)
        let applied = try runs[index].entries.map { pending in
          let entry = pending.entry
          change.begin(at: entry.time)
          defer { noteLoaded(change.session) }
          do {
            if entry.kind == .batch {
              try change.activate(pending.viewport.layouts, asked: asked[index])
            }
            var applied = try apply(pending.change(), pending.viewport, to: &change)
            assert(
              entry.sequence == replica.sequence + 1 && entry.isNext(after: replica.chain),
              "an entry follows the one before it")
            try change.note(entry, in: &replica)
            applied.commit.sequence = entry.sequence
            return applied
          } catch let error as ByteError {
            throw ReplicationError.doesNotApply("entry \(entry.sequence): \(error)")
          }
        }
        try change.writer.put(replica)
        return applied
      }
    }
  }

  /// Lays out the layout pinned by an entry, if no other entry has followed.
  package func layOutPinned(_ entry: SharedEntry, in dataset: String) throws {
    let pin = try SharedPin(entry.payload)
    let name = try mappingErrors(path) {
      try store.read { try $0.layout(id: pin.layout)?.name }
    }
    guard let name else { return }
    do {
      _ = try prepareHere(
        LayoutID(name, of: dataset), discardingSpace: nil, ProgressReporter(clock))
    } catch let error as LayoutCacheError {
      // The next query reports it.
      guard case .cannotLayOut = error.code else { throw error }
    }
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
      case .layout: .layout(try SharedLayoutChange(entry.payload))
      case .pin: .pin(try SharedPin(entry.payload))
      case .archive: .archive(try SharedArchive(entry.payload))
      case .rules: .rules
      }
    self.init(content: content, revision: entry.revision)
  }

  /// Returns the log entry for the change; the caller sets its chain.
  func entry(
    _ sequence: Int, of request: ChangeRequest, at time: Int64
  ) -> SharedEntry {
    let (kind, payload): (SharedEntry.Kind, [UInt8]) =
      switch content {
      case .batch(_, let payload): (.batch, payload)
      case .layout(let change): (.layout, change.encode())
      case .pin(let pin): (.pin, pin.encode())
      case .archive(let archive): (.archive, archive.encode())
      case .rules: (.rules, [])
      }
    return SharedEntry(
      sequence: sequence, revision: revision, kind: kind, proposal: request.proposal,
      request: request.request?.encode(), payload: payload, time: time, chain: [])
  }
}
