import LayoutCache

// Carrying out what the log has decided on.

extension ClusterNode {
  /// An entry, the change that it was made of, and the ticket that waits for it, if this node has
  /// them.
  struct LoggedEntry {
    var entry: SharedEntry
    var change: ResolvedChange?
    var ticket: DatasetCommitQueue.Ticket?
  }

  /// The entries that one transaction of the file takes at most, and of their payload: some
  /// milliseconds' work, for which changes of other datasets wait.
  private static let runCountMax = 64
  private static let runBytesMax = 16 << 10

  /// Carries entries out, many in a transaction of the file, and closes their tickets.
  ///
  /// - Parameter position: Where the dataset stands.
  /// - Throws: ``ReplicationError``; `diverged` for an entry that is not the next, those before
  ///   it are carried out then. ``LayoutCacheError``.
  func apply(
    _ entries: [LoggedEntry], behind position: SharedPosition, _ dataset: String,
    _ queue: DatasetCommitQueue
  ) throws {
    var position = position
    var rest = entries[...]
    while !rest.isEmpty {
      let run = Self.run(rest, behind: position)
      guard let last = run.last?.entry else { throw ReplicationError.diverged }
      do {
        try apply(run, at: position, dataset, queue)
      } catch  where run.count > 1 {
        // What can't be carried out keeps none before it from that.
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

  /// The first of some entries that can go into one transaction; none where the first does not
  /// follow on the position.
  private static func run(
    _ entries: ArraySlice<LoggedEntry>, behind position: SharedPosition
  ) -> ArraySlice<LoggedEntry> {
    var (end, byteCount) = (entries.startIndex, 0)
    var (sequence, chain) = (position.sequence, position.chain)
    for entry in entries.prefix(runCountMax).lazy.map(\.entry) {
      byteCount += entry.payload.count
      guard entry.sequence == sequence + 1, entry.isNext(behind: chain),
        // An archive is loaded by itself.
        entry.kind != .archive || end == entries.startIndex,
        byteCount <= runBytesMax || end == entries.startIndex
      else { break }
      (sequence, chain) = (entry.sequence, entry.chain)
      end += 1
      // It is laid out before the next one, which a transaction can't do.
      if entry.kind == .pin || entry.kind == .archive { break }
    }
    return entries[..<end]
  }

  /// Carries a run of entries out.
  private func apply(
    _ run: ArraySlice<LoggedEntry>, at position: SharedPosition, _ dataset: String,
    _ queue: DatasetCommitQueue
  ) throws {
    guard let last = run.last?.entry else { return }
    let next = last.position(in: position.dataset)
    queue.status { $0.willAccept(at: next) }
    let results =
      last.kind == .archive
      ? [try load(last, behind: position, into: dataset)]
      : try runs.run(
        LayoutCache.EntryRun(
          of: dataset, after: position,
          run.map {
            LayoutCache.PendingEntry(
              $0.entry, $0.ticket?.request.viewport ?? CommitViewport(), as: $0.change)
          })
      ).get()
    queue.status { status in
      for logged in run { status.didAccept(logged.entry, at: next, isOwn: logged.ticket != nil) }
    }
    count { $0.acceptedCount += run.count }
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
    // If one of several fails, it reports the reason by itself.
    return runs.map { run in Result { try cache.apply([run], in: log)[0] } }
  }

  private func layOutPinned(_ pin: SharedEntry, in dataset: String) throws {
    do {
      try cache.layOutPinned(pin, in: dataset)
    } catch is ReplicationError {
      // What it continues from is not here. Whoever asks for the layout has the dataset
      // started again.
    } catch let error as LayoutCacheError where error.category == .corrupt {
      // Likewise.
    }
  }
}

extension SharedEntry {
  /// Where a dataset stands after it.
  fileprivate func position(in dataset: Int64) -> SharedPosition {
    SharedPosition(dataset: dataset, sequence: sequence, chain: chain)
  }
}
