import Dispatch
import LayoutCache
import LayoutReplication
import Synchronization

// Deciding entries of the log.

extension ClusterNode {
  /// The maximum number of entries, and of payload bytes, that one transaction of the file
  /// decides: a few milliseconds of work, for which changes of other datasets wait.
  private static let runCountMax = 64
  private static let runBytesMax = 16 << 10

  /// Decides entries, many per transaction of the file, and closes their tickets.
  ///
  /// - Parameters:
  ///   - position: The dataset's current position.
  ///   - tickets: The tickets of which some entries may be.
  /// - Throws: ``ReplicationError``, `diverged` for an entry that is not the next, after the
  ///   entries before it have been decided; ``LayoutCacheError``.
  func apply(
    _ entries: [SharedEntry], after position: SharedPosition, _ queue: DatasetCommitQueue,
    _ tickets: [DatasetCommitQueue.Ticket] = []
  ) throws {
    var position = position
    let tickets = Dictionary(tickets.map { ($0.request.name, $0) }) { first, _ in first }
    var rest = entries[...]
    while !rest.isEmpty {
      var run = Self.run(rest, after: position)
      guard let first = run.first else { throw ReplicationError.diverged }
      // Loading an archive may take so long that ordinary restarts meet it.
      let suspected =
        first.kind == .archive
        ? nil : deciding.withLock { $0.endCount(position.dataset, first.sequence) }
      if let suspected {
        if suspected >= DecisionRecord.endsMax {
          throw ReplicationError.doesNotApply(
            "entry \(first.sequence) has ended this node's process twice")
        }
        run = run.prefix(1)
        // If it ends this process too, no other suspected one is being decided.
        suspects.wait()
      }
      defer { if suspected != nil { suspects.signal() } }
      let last = run.last ?? first
      if first.kind != .archive {
        record { $0.begin(position.dataset, first.sequence, through: last.sequence) }
      }
      defer { record { $0.end(position.dataset, through: last.sequence) } }
      do {
        try applyRun(run, at: position, queue, tickets, isAlone: suspected != nil)
      } catch  where run.count > 1 {
        // An entry that fails must not prevent the entries before it.
        var position = position
        for index in run.indices {
          try applyRun(run[index...index], at: position, queue, tickets)
          position = run[index].position(in: position.dataset)
        }
      }
      position = last.position(in: position.dataset)
      rest = rest[run.endIndex...]
    }
  }

  private func record(_ change: (inout DecisionRecord) -> Void) {
    deciding.withLock { record in
      change(&record)
      options.storeDecisions(record.encoded)
    }
  }

  /// Returns the first entries that fit into one transaction; none if the first does not follow
  /// `position`.
  private static func run(
    _ entries: ArraySlice<SharedEntry>, after position: SharedPosition
  ) -> ArraySlice<SharedEntry> {
    var (end, byteCount) = (entries.startIndex, 0)
    var (sequence, chain) = (position.sequence, position.chain)
    for entry in entries.prefix(runCountMax) {
      byteCount += entry.request.payload.count
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

  private func applyRun(
    _ run: ArraySlice<SharedEntry>, at position: SharedPosition, _ queue: DatasetCommitQueue,
    _ tickets: [[UInt8]: DatasetCommitQueue.Ticket], isAlone: Bool = false
  ) throws {
    guard let last = run.last else { return }
    let next = last.position(in: position.dataset)
    var own: [Int: DatasetCommitQueue.Ticket] = [:]
    for entry in tickets.isEmpty ? [] : run { own[entry.sequence] = tickets[entry.request.name] }
    queue.status { $0.willAccept(at: next) }
    let entries = LayoutCache.EntryRun(
      of: queue.dataset, after: position, Array(run), own: own.mapValues(\.change))
    let outcomes =
      last.kind == .archive
      ? [try load(last, after: position, into: queue.dataset)]
      : try isAlone ? cache.decide([entries], in: log)[0] : runs.run(entries).get()
    queue.status { status in
      for entry in run { status.didAccept(entry, at: next) }
    }
    counters.accepted.add(run.count)
    if last.kind == .pin, case .success? = outcomes.last {
      // If it fails, the base result is missing here, or damaged, or the disk is full. The next
      // request for the layout rebuilds the dataset.
      try? cache.layOutPinned(last, in: queue.dataset)
    }
    let now = options.now()
    for (entry, outcome) in zip(run, outcomes) {
      if case .failure(let error) = outcome {
        counters.rejected.add()
        if own[entry.sequence] != nil, !error.isOfRace {
          queue.status { _ = $0.mayAppend(rejected: 1, at: now) }
        }
      }
      own[entry.sequence]?.close(outcome.mapError { $0 as any Error })
    }
  }

  /// Decides runs of several datasets, in one transaction if possible.
  static func decide(
    _ runs: [LayoutCache.EntryRun], in log: [UInt8], by cache: LayoutCache
  ) -> [Result<[DecidedOutcome], any Error>] {
    if runs.count > 1, let results = try? cache.decide(runs, in: log) {
      return results.map { .success($0) }
    }
    // Decided separately, each run reports its own failure.
    return runs.map { run in Result { try cache.decide([run], in: log)[0] } }
  }
}

extension SharedEntry {
  /// Returns the dataset's position after this entry.
  func position(in dataset: Int64) -> SharedPosition {
    SharedPosition(dataset: dataset, sequence: sequence, chain: chain)
  }
}

extension LayoutCacheError {
  /// Whether another client has changed the dataset first.
  fileprivate var isOfRace: Bool {
    switch code {
    case .concurrentModification, .revisionMismatch: true
    default: false
    }
  }
}
