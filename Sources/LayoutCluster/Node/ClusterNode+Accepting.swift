import LayoutCache

// Carrying out what the log has decided on.

extension ClusterNode {
  /// An entry, and what waits for it at this node, if anything does.
  typealias Decided = (entry: SharedEntry, ticket: DatasetRoom.Ticket?)

  /// The entries that one transaction of the file takes at most, and of their payload: some
  /// milliseconds' work, for which changes of other datasets wait.
  private static let runCountMax = 64
  private static let runBytesMax = 16 << 10

  /// Carries entries out, many in a transaction of the file, and closes their tickets.
  ///
  /// - Parameter position: Where the dataset stands.
  /// - Throws: ``SharedMisfit``; `isElsewhere` for an entry that is not the next, those before
  ///   it are carried out then. ``LayoutCacheError``.
  func accept(
    _ entries: [Decided], behind position: SharedPosition, _ dataset: String,
    _ room: DatasetRoom
  ) throws {
    var position = position
    var rest = entries[...]
    while !rest.isEmpty {
      let run = Self.run(rest, behind: position)
      guard let last = run.last?.entry else { throw SharedMisfit.isElsewhere }
      do {
        try accept(run, at: position, dataset, room)
      } catch  where run.count > 1 {
        // What can't be carried out keeps none before it from that.
        var position = position
        for index in run.indices {
          try accept(run[index...index], at: position, dataset, room)
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
    _ entries: ArraySlice<Decided>, behind position: SharedPosition
  ) -> ArraySlice<Decided> {
    var (end, byteCount) = (entries.startIndex, 0)
    var (sequence, chain) = (position.sequence, position.chain)
    for (entry, _) in entries.prefix(runCountMax) {
      byteCount += entry.payload.count
      guard entry.sequence == sequence + 1, entry.isNext(behind: chain),
        // An image is loaded by itself.
        entry.kind != .image || end == entries.startIndex,
        byteCount <= runBytesMax || end == entries.startIndex
      else { break }
      (sequence, chain) = (entry.sequence, entry.chain)
      end += 1
      // It is laid out before the next one, which a transaction can't do.
      if entry.kind == .pin || entry.kind == .image { break }
    }
    return entries[..<end]
  }

  /// Carries a run of entries out.
  private func accept(
    _ run: ArraySlice<Decided>, at position: SharedPosition, _ dataset: String,
    _ room: DatasetRoom
  ) throws {
    guard let last = run.last?.entry else { return }
    let next = last.position(in: position.dataset)
    room.standing { $0.willAccept(at: next) }
    let commits =
      last.kind == .image
      ? [try load(last, behind: position, into: dataset)]
      : try runs.run(
        LayoutCache.DecidedRun(
          of: dataset, behind: position,
          run.map { LayoutCache.DecidedEntry($0.entry, $0.ticket?.view ?? BatchView()) })
      ).get()
    room.standing { standing in
      for (entry, ticket) in run { standing.didAccept(entry, at: next, isOwn: ticket != nil) }
    }
    count { $0.acceptedCount += run.count }
    if last.kind == .pin { try layOutPinned(last, in: dataset) }
    for ((_, ticket), commit) in zip(run, commits) {
      ticket?.close(.success(.isCommitted(commit)))
    }
  }

  /// Carries runs of several datasets out, in one transaction if all can be.
  static func accept(
    _ runs: [LayoutCache.DecidedRun], in log: [UInt8], by cache: LayoutCache
  ) -> [Result<[Commit], any Error>] {
    if runs.count > 1, let commits = try? cache.accept(runs, in: log) {
      return commits.map { .success($0) }
    }
    // Where one of several can't it says why by itself.
    return runs.map { run in Result { try cache.accept([run], in: log)[0] } }
  }

  private func layOutPinned(_ pin: SharedEntry, in dataset: String) throws {
    do {
      try cache.layOutPinned(pin, in: dataset)
    } catch is SharedMisfit {
      // What it goes on from is not here. Whoever asks for the layout has the dataset
      // begun anew.
    } catch let error as LayoutCacheError where error.category == .corrupt {
      // Likewise.
    }
  }
}

extension SharedEntry {
  /// Where a dataset stands behind it.
  fileprivate func position(in dataset: Int64) -> SharedPosition {
    SharedPosition(dataset: dataset, sequence: sequence, chain: chain)
  }
}
