import LayoutCache
import LayoutReplication

// Applying entries of the log.

extension ClusterNode {
  /// An entry, with its change and its waiting ticket if this node proposed it.
  struct LoggedEntry {
    var entry: SharedEntry
    var change: ResolvedChange?
    var ticket: DatasetCommitQueue.Ticket?

    var pending: LayoutCache.PendingEntry {
      LayoutCache.PendingEntry(entry, ticket?.request.viewport ?? CommitViewport(), as: change)
    }
  }

  /// The maximum number of entries, and of payload bytes, that one transaction of the file
  /// applies: a few milliseconds of work, for which changes of other datasets wait.
  private static let runCountMax = 64
  private static let runBytesMax = 16 << 10

  /// Applies entries, many per transaction of the file, and closes their tickets.
  ///
  /// - Parameter position: The dataset's current position.
  /// - Throws: ``ReplicationError``, `diverged` for an entry that is not the next, after the
  ///   entries before it have been applied; ``LayoutCacheError``.
  func apply(
    _ entries: [LoggedEntry], after position: SharedPosition, _ dataset: String,
    _ queue: DatasetCommitQueue
  ) throws {
    var position = position
    var rest = entries[...]
    while !rest.isEmpty {
      let run = Self.run(rest, after: position)
      guard let last = run.last?.entry else { throw ReplicationError.diverged }
      do {
        try apply(run, at: position, dataset, queue)
      } catch  where run.count > 1 {
        // An entry that fails must not prevent the entries before it.
        var position = position
        for index in run.indices {
          try apply(run[index...index], at: position, dataset, queue)
          position = run[index].entry.position(in: position.dataset)
        }
      }
      position = last.position(in: position.dataset)
      rest = rest[run.endIndex...]
    }
  }

  /// Returns the first entries that fit into one transaction; none if the first does not follow
  /// `position`.
  private static func run(
    _ entries: ArraySlice<LoggedEntry>, after position: SharedPosition
  ) -> ArraySlice<LoggedEntry> {
    var (end, byteCount) = (entries.startIndex, 0)
    var (sequence, chain) = (position.sequence, position.chain)
    for entry in entries.prefix(runCountMax).lazy.map(\.entry) {
      byteCount += entry.payload.count
      guard entry.sequence == sequence + 1, entry.isNext(after: chain),
        // An archive is loaded in a separate transaction.
        entry.kind != .archive || end == entries.startIndex,
        byteCount <= runBytesMax || end == entries.startIndex
      else { break }
      (sequence, chain) = (entry.sequence, entry.chain)
      end += 1
      // The layout is computed before the next entry, outside of the transaction.
      if entry.kind == .pin || entry.kind == .archive { break }
    }
    return entries[..<end]
  }

  /// Applies a run of entries.
  private func apply(
    _ run: ArraySlice<LoggedEntry>, at position: SharedPosition, _ dataset: String,
    _ queue: DatasetCommitQueue
  ) throws {
    guard let last = run.last?.entry else { return }
    let next = last.position(in: position.dataset)
    queue.status { $0.willAccept(at: next) }
    let results =
      last.kind == .archive
      ? [try load(last, after: position, into: dataset)]
      : try runs.run(LayoutCache.EntryRun(of: dataset, after: position, run.map(\.pending))).get()
    queue.status { status in
      for logged in run { status.didAccept(logged.entry, at: next) }
    }
    counters.accepted.add(run.count)
    if last.kind == .pin { try layOutPinned(last, in: dataset) }
    for (logged, result) in zip(run, results) { logged.ticket?.close(.success(.applied(result))) }
  }

  /// Applies runs of several datasets, in one transaction if possible.
  static func apply(
    _ runs: [LayoutCache.EntryRun], in log: [UInt8], by cache: LayoutCache
  ) -> [Result<[AppliedChange], any Error>] {
    if runs.count > 1, let results = try? cache.apply(runs, in: log) {
      return results.map { .success($0) }
    }
    // Applied separately, each run reports its own failure.
    return runs.map { run in Result { try cache.apply([run], in: log)[0] } }
  }

  private func layOutPinned(_ pin: SharedEntry, in dataset: String) throws {
    do {
      try cache.layOutPinned(pin, in: dataset)
    } catch is ReplicationError {
      // The layout's base result is missing here. The next request for the layout rebuilds the
      // dataset.
    } catch let error as LayoutCacheError where error.category == .corrupt {
      // A damaged layout is rebuilt in the same way.
    }
  }
}

extension SharedEntry {
  /// Returns the dataset's position after this entry.
  func position(in dataset: Int64) -> SharedPosition {
    SharedPosition(dataset: dataset, sequence: sequence, chain: chain)
  }
}
