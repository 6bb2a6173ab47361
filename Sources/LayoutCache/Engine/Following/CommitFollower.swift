import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree
import Synchronization

/// Follows the commits to one dataset for all its listeners: each is replayed once.
///
/// *Strategy.* Whoever has news wakes it. It then runs on its executor, alone, until nothing
/// is left to be done; nobody waits for it, and the lock holds only what is asked of it. New
/// listeners are admitted by the same run, between two commits, so that they miss none and
/// are told none twice.
final class CommitFollower: Sendable {
  /// The parts that it uses.
  struct Sources: Sendable {
    let store: Store
    let kinds: CustomKinds
    let shapes: TreeShapes
    /// How often to look for the commits of others; `nil` for never.
    let lookInterval: Duration?
    let openDatasets: OpenDatasets
    let executor: any TaskExecutor
    let memory: EventMemory
  }

  /// A listener that wants to be admitted.
  struct Admission {
    let listener: CommitListener
    /// The last revision that it knows; `nil` for the present one.
    let revision: Int?
    /// The name of the dataset's history that it knows, if any.
    let incarnation: Incarnation?
    /// Takes the dataset's row and its present revision.
    let continuation: CheckedContinuation<(row: DatasetRow, revision: Int)?, any Error>
  }

  private struct State {
    /// `nil` while it is being moved on, and before the first time.
    var replay: LogReplay?
    var listeners: [CommitListener] = []
    var admissions: [Admission] = []
    /// Whether a run has admissions in hand, which are neither here nor listeners yet.
    var isAdmitting = false
    var isDue = false
    var isRunning = false
    /// Whether the nodes in memory may not be what their ids say.
    var mustReopen = false
    /// Whether nobody listens any more.
    var isOver = false
  }

  private let name: String
  private let sources: Sources
  private let state = Mutex(State())
  /// The commits that have been replayed.
  let replayedCount = Atomic(0)

  init(_ name: String, _ sources: Sources) {
    self.name = name
    self.sources = sources
  }

  /// Has a listener admitted.
  ///
  /// - Returns: `false` where the follower is over.
  func admit(_ admission: Admission) -> Bool {
    let isOver = state.withLock { state in
      if !state.isOver { state.admissions.append(admission) }
      return state.isOver
    }
    if !isOver { wake() }
    return !isOver
  }

  /// Lets a listener go.
  ///
  /// - Returns: Whether nobody listens any more.
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

  /// There may be news.
  ///
  /// - Parameter mustReopen: Whether a transaction has failed that had given nodes ids, which
  ///   others may get now.
  func wake(mustReopen: Bool = false) {
    let begins = state.withLock { state in
      if mustReopen { state.mustReopen = true }
      state.isDue = true
      if state.isRunning || state.isOver { return false }
      state.isRunning = true
      return true
    }
    // Detached: what the committing task carries along is no matter of the listeners'.
    if begins { Task.detached(executorPreference: sources.executor) { self.run() } }
  }

  /// Gives back the nodes that were loaded.
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
      // With nobody there to be told, nothing is due.
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

  /// Tells the listeners what one committed state of the file has of news, and admits others.
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
      if try !replay.advance(row, to: head, reader, tell: tellAll) {
        tellAll(.reset(revision: head.revision, incarnation: Incarnation(row.incarnation)))
        replay = try makeReplay(row, after: head.revision, reader)
      }
    } else {
      if work.replay?.isOfHistory(of: row) == true {
        // It was loaded again: no log leads from the one to the other.
        tellAll(.reset(revision: head.revision, incarnation: Incarnation(row.incarnation)))
      } else if work.replay != nil {
        tellAll(.gone)
        end()
      }
      replay = try makeReplay(row, after: head.revision, reader)
    }
    if let shared = sources.openDatasets.known(name).state { replay.share(shared) }
    // Each is answered once, whatever follows.
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
    return try LogReplay(
      row, after: revision, of: names, reader, sources.kinds, sources.shapes)
  }

  /// Keeps what the next commit is replayed on.
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
    // A cache that is closed has no more commits, which is an end like any other.
    if case .closed? = (own as? LayoutCacheError)?.code { end() } else { end(throwing: own) }
    state.withLock { $0.isAdmitting = false }
    for admission in admissions { admission.continuation.resume(throwing: own) }
  }
}

// MARK: - Telling

extension CommitFollower {
  private func tellAll(_ commit: Commit) {
    replayedCount.add(1, ordering: .relaxed)
    // Most listeners of a dataset look at the same layout.
    var told: [CommitListener.Audience: SharedEvent] = [:]
    for listener in state.withLock({ $0.listeners }) {
      let event = told[listener.audience] ?? share(commit, listener.audience)
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

  private struct Backlog: Hashable {
    var revision: Int
    var audience: CommitListener.Audience
  }

  /// Admits listeners, each with the commits after the revision that it knows.
  ///
  /// - Returns: What each is to be answered, once the state is as it says.
  private func admit(
    _ admissions: [Admission], _ row: DatasetRow, _ head: LogHead, _ replay: inout LogReplay,
    _ reader: StoreReader
  ) -> [Result<(row: DatasetRow, revision: Int)?, any Error>] {
    // After a restart all come at once, and mostly from the same place.
    var backlogs: [Backlog: [SharedEvent]] = [:]
    let answers = admissions.map { admission in
      Result<(row: DatasetRow, revision: Int)?, any Error> {
        let listener = admission.listener
        do {
          for layout in listener.layouts { _ = try reader.requireLayout(layout, of: row) }
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

  /// The commits after a revision.
  ///
  /// - Returns: `nil` where the log does not lead from there to the present, or they are
  ///   more than the listener has room for.
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
    var past = try makeReplay(
      row, after: backlog.revision, of: backlog.audience.layouts, reader)
    var events: [SharedEvent] = []
    return try past.advance(row, to: head, reader) {
      events.append(share($0, backlog.audience))
    } ? events : nil
  }
}
