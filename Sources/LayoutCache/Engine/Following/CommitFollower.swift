import CollectionLayout
import LayoutGeometry
import LayoutStore
import Synchronization

/// A follower of the commits to one dataset, for all its listeners. Each commit is replayed once.
///
/// *Strategy.* Any call that may bring news wakes the follower. It then runs on its executor, one
/// run at a time, until no work is left. No caller waits for it, and the lock only protects the
/// requests. The same run admits new listeners, between two commits, so that they miss no commit
/// and receive none twice.
final class CommitFollower: Sendable {
  /// The dependencies of a follower.
  struct Sources: Sendable {
    let store: Store
    let kinds: CustomKinds
    let shapes: TreeShapes
    /// The interval of checks for commits of other processes; `nil` for never.
    let lookInterval: Duration?
    let openDatasets: OpenDatasets
    let variants: VariantUses
    let executor: any TaskExecutor
    let memory: EventMemory
  }

  /// A listener that wants to be admitted.
  struct Admission {
    let listener: CommitListener
    /// The last revision that the listener knows; `nil` for the present one.
    let revision: Int?
    /// The incarnation of the dataset that the listener knows, if any.
    let incarnation: Incarnation?
    /// The continuation, which receives the dataset's row and its present revision; `nil` if the
    /// follower has ended.
    let continuation: CheckedContinuation<(row: DatasetRow, revision: Int)?, any Error>
  }

  private struct State {
    /// The replay; `nil` while a run uses it, and before the first run.
    var replay: LogReplay?
    var listeners: [CommitListener] = []
    var admissions: [Admission] = []
    /// Whether a run is processing admissions, which are then neither pending nor listeners yet.
    var isAdmitting = false
    var isDue = false
    var isRunning = false
    /// Whether nodes in memory may differ from the stored nodes with the same IDs.
    var mustReopen = false
    /// Whether the last listener was removed.
    var isOver = false
  }

  private let name: String
  private let sources: Sources
  private let state = Mutex(State())
  let replayedCount = Atomic(0)

  init(_ name: String, _ sources: Sources) {
    self.name = name
    self.sources = sources
  }

  /// Requests the admission of a listener.
  ///
  /// - Returns: `false` if the follower has ended.
  func admit(_ admission: Admission) -> Bool {
    let isOver = state.withLock { state in
      if !state.isOver { state.admissions.append(admission) }
      return state.isOver
    }
    if !isOver { wake() }
    return !isOver
  }

  /// Removes a listener.
  ///
  /// - Returns: Whether no listener is left, which ends the follower.
  func remove(_ listener: CommitListener) -> Bool {
    state.withLock { state in
      state.listeners.removeAll { $0 === listener }
      guard state.listeners.isEmpty, state.admissions.isEmpty, !state.isAdmitting else {
        return false
      }
      state.isOver = true
      state.replay = nil
      return true
    }
  }

  /// Starts a run, because there may be new commits.
  ///
  /// - Parameter mustReopen: Whether a failed transaction had assigned node IDs, which may now be
  ///   assigned to other nodes.
  func wake(mustReopen: Bool = false) {
    let begins = state.withLock { state in
      if mustReopen { state.mustReopen = true }
      state.isDue = true
      if state.isRunning || state.isOver { return false }
      state.isRunning = true
      return true
    }
    // Detached: the run must not inherit the priority and task-local values of the committing
    // task.
    if begins { Task.detached(executorPreference: sources.executor) { self.run() } }
  }

  /// Releases the loaded nodes.
  func unload() { state.withLock { $0.replay?.unload() } }

  /// Ends all listeners.
  func end(throwing error: (any Error)? = nil) {
    let listeners = state.withLock { state in
      defer { state.listeners = [] }
      state.replay = nil
      return state.listeners
    }
    for listener in listeners { listener.end(throwing: error) }
  }
}

// MARK: - Running

extension CommitFollower {
  private struct Work {
    var replay: LogReplay?
    var admissions: [Admission]
    var mustReopen: Bool
  }

  private func run() {
    while var work = takeWork() {
      do {
        try sources.store.read { try step(&work, $0) }
      } catch {
        fail(error, work.admissions)
      }
    }
  }

  private func takeWork() -> Work? {
    state.withLock { state in
      guard !state.isOver, state.isDue || !state.admissions.isEmpty else {
        state.isRunning = false
        return nil
      }
      // Without listeners, nothing is due.
      guard !state.listeners.isEmpty || !state.admissions.isEmpty else {
        (state.isDue, state.isRunning, state.mustReopen) = (false, false, false)
        return nil
      }
      defer { (state.isDue, state.mustReopen, state.admissions) = (false, false, []) }
      state.isAdmitting = !state.admissions.isEmpty
      return Work(
        replay: state.replay.take(), admissions: state.admissions, mustReopen: state.mustReopen)
    }
  }

  /// Sends the new commits in one committed state of the file to the listeners, and admits new
  /// listeners.
  private func step(_ work: inout Work, _ reader: StoreReader) throws {
    guard let row = try reader.dataset(named: name) else {
      tellAll(.gone)
      end()
      throw LayoutCacheError(.noSuchDataset(name))
    }
    let head = try reader.logHead(of: row.id)
    var replay: LogReplay
    if let known = work.replay, known.isOf(row) {
      replay = known
      if work.mustReopen { try replay.reopen(row, reader) }
      // Before any commit with a result of the new definition.
      try tellDefinitions(row, &replay, reader)
      if try !replay.advance(row, to: head, reader, tell: tellAll) {
        tellAll(.reset(revision: head.revision, incarnation: Incarnation(row.incarnation)))
        replay = try makeReplay(row, after: head.revision, reader)
      }
    } else {
      if try work.replay?.isReplaced(by: row, reader) == true {
        // No log connects the old and the new dataset.
        tellAll(.reset(revision: head.revision, incarnation: Incarnation(row.incarnation)))
      } else if work.replay != nil {
        tellAll(.gone)
        end()
      }
      replay = try makeReplay(row, after: head.revision, reader)
    }
    if let shared = sources.openDatasets.known(name).state { replay.share(shared) }
    // Each admission is answered once, even if an error follows.
    let admissions = work.admissions
    work.admissions = []
    let answers = admit(admissions, row, head, &replay, reader)
    put(replay)
    for (admission, answer) in zip(admissions, answers) {
      admission.continuation.resume(with: answer)
    }
  }

  private func makeReplay(
    _ row: DatasetRow, after revision: Int, of names: [String]? = nil, _ reader: StoreReader
  ) throws -> LogReplay {
    let names = names ?? state.withLock { $0.listeners.flatMap(\.layouts) }
    return try LogReplay(row, after: revision, of: names, reader, sources.kinds, sources.shapes)
  }

  /// Stores the state on which the next commit is replayed.
  private func put(_ replay: LogReplay) {
    var replay = replay
    let names = state.withLock { state in
      Set(state.listeners.flatMap(\.layouts).map(ExactKey.init))
    }
    replay.keep(names)
    state.withLock { state in
      state.replay = state.isOver || state.listeners.isEmpty ? nil : replay
    }
  }

  private func fail(_ error: any Error, _ admissions: [Admission]) {
    let path = sources.store.path
    let own = LayoutCacheError(mapping: error, path: path) ?? error
    // Closing the cache is a regular end of the stream.
    if case .closed? = (own as? LayoutCacheError)?.code { end() } else { end(throwing: own) }
    state.withLock { $0.isAdmitting = false }
    for admission in admissions { admission.continuation.resume(throwing: own) }
  }
}

// MARK: - Sending

extension CommitFollower {
  private func tellAll(_ commit: Commit) {
    replayedCount.add(1, ordering: .relaxed)
    // Most listeners of a dataset follow the same layout.
    var told: [CommitListener.Audience: SharedEvent] = [:]
    for listener in state.withLock({ $0.listeners }) {
      let known = told[listener.audience]
      // Following a variant uses it. Otherwise it would be dropped while its viewers wait.
      if known == nil { sources.variants.use(listener.layouts, of: name) }
      let event = known ?? share(commit, listener.audience)
      told[listener.audience] = event
      listener.tell(commit, as: event)
    }
  }

  private func share(_ commit: Commit, _ audience: CommitListener.Audience) -> SharedEvent {
    sources.memory.share(commit.concerning(audience.layouts), writtenBy: audience.writer)
  }

  private func tellAll(_ event: CommitEvent) {
    let event = SharedEvent(event)
    for listener in state.withLock({ $0.listeners }) { listener.tell(event) }
  }

  /// Tells each listener which of its layouts were defined since the last step.
  private func tellDefinitions(
    _ row: DatasetRow, _ replay: inout LogReplay, _ reader: StoreReader
  ) throws {
    let last = (try reader.lastDefinition(in: row.id), try reader.lastDefinition(in: 0))
    if last == (replay.definition, replay.template) { return }
    var defined = try reader.layoutNames(of: row.id, definedAfter: replay.definition)
    if last.1 != replay.template {
      defined += try reader.layouts(of: row.id).map(\.name).filter {
        try reader.templateChange(of: $0, in: row) != nil
      }
    }
    (replay.definition, replay.template) = last
    let keys = Set(defined.map(ExactKey.init))
    let reset = CommitEvent.reset(
      revision: replay.revision, incarnation: Incarnation(row.incarnation))
    for listener in state.withLock({ $0.listeners }) {
      let names = listener.layouts.isEmpty ? defined : listener.layouts.filter(keys.hasLayout)
      for name in names {
        let known = try reader.presentLayout(named: name, of: row)
        let result = known?.preparedRevision == nil ? nil : known?.result
        let incarnation = result.map { Incarnation($0.incarnation) } ?? ""
        listener.tell(SharedEvent(.layout(name, incarnation: incarnation)), orReset: reset)
      }
    }
  }

  private struct Backlog: Hashable {
    var revision: Int
    var audience: CommitListener.Audience
  }

  /// Admits listeners, each with the commits after the revision that it knows.
  ///
  /// - Returns: The answer to each admission, to be sent after the state is stored.
  private func admit(
    _ admissions: [Admission], _ row: DatasetRow, _ head: LogHead, _ replay: inout LogReplay,
    _ reader: StoreReader
  ) -> [Result<(row: DatasetRow, revision: Int)?, any Error>] {
    // After a restart, all listeners arrive together, mostly with the same revision.
    var backlogs: [Backlog: [SharedEvent]] = [:]
    let answers = admissions.map { admission in
      Result<(row: DatasetRow, revision: Int)?, any Error> {
        let listener = admission.listener
        do {
          for layout in listener.layouts {
            try reader.requireLayout(layout, of: row).requireOneSize(path: reader.path)
          }
          try replay.add(listener.layouts, reader)
          let backlog = Backlog(
            revision: admission.revision ?? head.revision, audience: listener.audience)
          let isOther = admission.incarnation.map { $0 != Incarnation(row.incarnation) } ?? false
          let events =
            isOther
            ? nil
            : try backlogs[backlog]
              ?? events(backlog, row, head, countMax: listener.queueCountMax, reader)
          if let events { backlogs[backlog] = events }
          let reset = SharedEvent(
            .reset(revision: head.revision, incarnation: Incarnation(row.incarnation)))
          for event in events ?? [reset] { listener.tell(event) }
          state.withLock { $0.listeners.append(listener) }
          return (row, head.revision)
        } catch {
          throw LayoutCacheError(mapping: error, path: reader.path) ?? error
        }
      }
    }
    state.withLock { $0.isAdmitting = false }
    return answers
  }

  /// Returns the commits after a revision.
  ///
  /// - Returns: `nil` if the log does not lead from there to the present, or there are more
  ///   commits than the listener's queue holds.
  private func events(
    _ backlog: Backlog, _ row: DatasetRow, _ head: LogHead, countMax: Int,
    _ reader: StoreReader
  ) throws -> [SharedEvent]? {
    guard backlog.revision >= 0, backlog.revision < head.revision else {
      return backlog.revision == head.revision ? [] : nil
    }
    guard head.revision - backlog.revision <= countMax,
      try reader.logExtent(after: backlog.revision, upTo: head) != nil
    else { return nil }
    var past = try makeReplay(row, after: backlog.revision, of: backlog.audience.layouts, reader)
    var events: [SharedEvent] = []
    return try past.advance(row, to: head, reader) {
      events.append(share($0, backlog.audience))
    } ? events : nil
  }
}
