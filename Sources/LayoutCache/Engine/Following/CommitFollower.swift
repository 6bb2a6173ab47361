import CollectionLayout
import LayoutGeometry
import LayoutStore
import Synchronization

/// A follower of the commits to one dataset, for all its listeners. Each commit is read once: its
/// operations from the log, and the contexts of layouts from the steps in which they followed it.
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

  /// The position up to which the listeners know the dataset.
  private struct Told {
    let row: DatasetRow
    /// The dataset's number in a shared log; `nil` if it follows none.
    let number: Int64?
    let revision: Int
    /// The numbers of the last definitions of a layout and of a template.
    let definition: Int
    let template: Int
  }

  private struct State {
    /// `nil` while a run uses it, and before the first run.
    var told: Told?
    private(set) var listeners: [CommitListener] = []
    /// The numbers of listeners of layouts that have any.
    private(set) var layouts: [ExactKey: Int] = [:]
    var admissions: [Admission] = []
    /// Whether a run is processing admissions, which are then neither pending nor listeners yet.
    var isAdmitting = false
    var isDue = false
    var isRunning = false
    /// Whether the last listener was removed.
    var isOver = false

    mutating func add(_ listener: CommitListener) {
      listeners.append(listener)
      for layout in listener.layouts { layouts[ExactKey(layout), default: 0] += 1 }
    }

    mutating func remove(_ listener: CommitListener) {
      guard let index = listeners.firstIndex(where: { $0 === listener }) else { return }
      listeners.remove(at: index)
      for layout in listener.layouts.map(ExactKey.init) {
        layouts[layout] = layouts[layout].flatMap { $0 > 1 ? $0 - 1 : nil }
      }
    }

    mutating func removeAll() -> [CommitListener] {
      defer { (listeners, layouts) = ([], [:]) }
      return listeners
    }
  }

  private let name: String
  private let sources: Sources
  private let state = Mutex(State())
  /// The number of commits read.
  let commitCount = Atomic(0)

  init(_ name: String, _ sources: Sources) {
    self.name = name
    self.sources = sources
  }

  /// The numbers of listeners of layouts that have any.
  var layouts: [ExactKey: Int] { state.withLock { $0.layouts } }

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
      state.remove(listener)
      guard state.listeners.isEmpty, state.admissions.isEmpty, !state.isAdmitting else {
        return false
      }
      state.isOver = true
      state.told = nil
      return true
    }
  }

  /// Starts a run, because there may be new commits.
  func wake() {
    let begins = state.withLock { state in
      state.isDue = true
      if state.isRunning || state.isOver { return false }
      state.isRunning = true
      return true
    }
    // Detached: the run must not inherit the priority and task-local values of the committing task.
    if begins { Task.detached(executorPreference: sources.executor) { self.run() } }
  }

  /// Ends all listeners.
  func end(throwing error: (any Error)? = nil) {
    let listeners = state.withLock { state in
      state.told = nil
      return state.removeAll()
    }
    for listener in listeners { listener.end(throwing: error) }
  }
}

// MARK: - Running

extension CommitFollower {
  private struct Work {
    var told: Told?
    var admissions: [Admission]
  }

  private func run() {
    while var work = takeWork() {
      do {
        let generation = sources.store.foreignGeneration()
        try sources.openDatasets.withDataset(name) { dataset in
          let reading = OpenDataset.Reading(dataset, generation: generation)
          try sources.store.read { try step(&work, $0, reading) }
        }
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
        (state.isDue, state.isRunning) = (false, false)
        return nil
      }
      defer { (state.isDue, state.admissions) = (false, []) }
      state.isAdmitting = !state.admissions.isEmpty
      return Work(told: state.told.take(), admissions: state.admissions)
    }
  }

  /// Sends the new commits in one committed state of the file to the listeners, and admits new
  /// listeners.
  private func step(
    _ work: inout Work, _ reader: StoreReader, _ reading: OpenDataset.Reading
  ) throws {
    guard let row = try reader.dataset(named: name) else {
      tellAll(.gone)
      end()
      throw LayoutCacheError(.noSuchDataset(name))
    }
    let head = try reader.logHead(of: row.id)
    let number = try reader.replica(of: row.id)?.number
    let told = Told(
      row: row, number: number, revision: head.revision,
      definition: try reader.lastDefinition(in: row.id), template: try reader.lastDefinition(in: 0))
    let source = CommitSource(row, head, reader, sources, reading)
    let reset = CommitEvent.reset(
      revision: head.revision, incarnation: Incarnation(row.incarnation))
    if let last = work.told {
      let isSameHistory = last.row.incarnation == row.incarnation
      if isSameHistory, last.row.id == row.id {
        // Before any commit with a result of the new definition.
        try tellDefinitions(since: last, told, reader)
        let layouts = state.withLock { Array($0.layouts.keys) }
        if try !forEachCommit(after: last.revision, of: layouts, in: source, tellAll) {
          tellAll(reset)
        }
      } else if isSameHistory || number != nil && last.number == number {
        // No log connects the old and the new dataset.
        tellAll(reset)
      } else {
        tellAll(.gone)
        end()
      }
    }
    // Each admission is answered once, even if an error follows.
    let admissions = work.admissions
    work.admissions = []
    let answers = admit(admissions, source)
    state.withLock { state in
      state.told = state.isOver || state.listeners.isEmpty ? nil : told
    }
    for (admission, answer) in zip(admissions, answers) {
      admission.continuation.resume(with: answer)
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
    commitCount.add(1, ordering: .relaxed)
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
    since known: Told, _ told: Told, _ reader: StoreReader
  ) throws {
    if (known.definition, known.template) == (told.definition, told.template) { return }
    let row = told.row
    var defined = try reader.layoutNames(of: row.id, definedAfter: known.definition)
    if known.template != told.template {
      defined += try reader.layouts(of: row.id).map(\.name).filter {
        try reader.templateChange(of: $0, in: row) != nil
      }
    }
    let keys = Set(defined.map(ExactKey.init))
    let reset = CommitEvent.reset(
      revision: known.revision, incarnation: Incarnation(row.incarnation))
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
    _ admissions: [Admission], _ source: CommitSource
  ) -> [Result<(row: DatasetRow, revision: Int)?, any Error>] {
    // After a restart, all listeners arrive together, mostly with the same revision.
    var backlogs: [Backlog: [SharedEvent]] = [:]
    let (row, revision) = (source.row, source.head.revision)
    let answers = admissions.map { admission in
      Result<(row: DatasetRow, revision: Int)?, any Error> {
        let listener = admission.listener
        do {
          for layout in listener.layouts {
            try source.reader.requireLayout(layout, of: row)
              .requireOneSize(path: source.reader.path)
          }
          // From now on, commits of this process update these layouts.
          try source.activate(listener.layouts.map(ExactKey.init))
          let backlog = Backlog(
            revision: admission.revision ?? revision, audience: listener.audience)
          let isOther = admission.incarnation.map { $0 != Incarnation(row.incarnation) } ?? false
          let events =
            isOther
            ? nil
            : try backlogs[backlog]
              ?? events(backlog, source, countMax: listener.queueCountMax)
          if let events { backlogs[backlog] = events }
          let reset = SharedEvent(
            .reset(revision: revision, incarnation: Incarnation(row.incarnation)))
          for event in events ?? [reset] { listener.tell(event) }
          state.withLock { $0.add(listener) }
          return (row, revision)
        } catch {
          throw LayoutCacheError(mapping: error, path: source.reader.path) ?? error
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
    _ backlog: Backlog, _ source: CommitSource, countMax: Int
  ) throws -> [SharedEvent]? {
    guard backlog.revision >= 0, source.head.revision - backlog.revision <= countMax else {
      return nil
    }
    var events: [SharedEvent] = []
    let layouts = backlog.audience.layouts.map(ExactKey.init)
    return try forEachCommit(after: backlog.revision, of: layouts, in: source) {
      events.append(share($0, backlog.audience))
    } ? events : nil
  }
}

// MARK: - Reading

/// One committed state of the file, from which commits to a dataset are read.
private final class CommitSource {
  let row: DatasetRow
  let head: LogHead
  let reader: StoreReader
  private let sources: CommitFollower.Sources
  private var reading: OpenDataset.Reading
  /// The dataset, perhaps with a commit that this transaction does not see; `nil` before it is
  /// needed.
  private var state: DatasetState?
  private var requested: Set<ExactKey> = []
  /// The reasons why layouts cannot follow.
  private var refusals: [ExactKey: LayoutCacheError] = [:]

  init(
    _ row: DatasetRow, _ head: LogHead, _ reader: StoreReader, _ sources: CommitFollower.Sources,
    _ reading: OpenDataset.Reading
  ) {
    (self.row, self.head, self.reader, self.sources) = (row, head, reader, sources)
    self.reading = reading
  }

  /// Activates layouts whose results lead to the present, so that commits of this process update
  /// them.
  func activate(_ names: [ExactKey]) throws {
    let new = names.filter { requested.insert($0).inserted }
    if new.isEmpty { return }
    var isNew = false
    if state == nil {
      if let present = reading.current, present.row.id == row.id,
        present.revision >= head.revision
      {
        state = present
      } else {
        isNew = true
        state = try DatasetState.current(
          row.name, known: reading.known, reader: reader, kinds: sources.kinds,
          shapes: sources.shapes)
      }
    }
    guard state?.revision == head.revision else { return }
    for name in new where state?.layout(named: name.string) == nil {
      let readiness = try state?.bring(
        name.string, mayLag: false, reader: reader, kinds: sources.kinds)
      switch readiness {
      case .ready: isNew = true
      case .rejected(let error): refusals[name] = error
      case .needsLayout, .behindCheckpoint, .damaged, nil: break
      }
    }
    if isNew, let state { reading.advance(to: state) }
  }

  /// Returns layouts with the contexts of commits after a revision, in the order of their names.
  func layouts(_ names: [ExactKey], after revision: Int) throws -> [FollowedLayout] {
    if names.isEmpty { return [] }
    try activate(names)
    let logged = try reader.loggedContexts(after: revision, upTo: head)
    return try names.sorted { $0.string < $1.string }.map { name in
      let stored = try reader.layout(named: name.string, of: row.id)
      var layout = FollowedLayout(name: name.string, row: stored, refusal: refusals[name])
      if let stored, let result = stored.result, stored.hasReadableResult {
        let present = state?.layout(named: name.string)
        let isOfResult = present?.incarnation == Incarnation(result.incarnation)
        try ContextPath(
          of: result, isOfResult ? present?.steps ?? [] : [], logged, after: revision, upTo: head,
          reader
        ).forEachStep(path: reader.path) { if $0 == 1 { layout.contexts[$1] = $2 } }
      }
      return layout
    }
  }
}

/// A layout whose changes are sent.
private struct FollowedLayout {
  let name: String
  let row: LayoutRow?
  /// The contexts of commits, by revision.
  var contexts: [Int: InvalidationContext] = [:]
  /// The reason why it cannot follow.
  var refusal: LayoutCacheError?
}

extension CommitFollower {
  /// Calls `body` with each commit after a revision and its effect on some layouts.
  ///
  /// - Returns: `false` if the log does not lead from there to the present.
  private func forEachCommit(
    after revision: Int, of layouts: [ExactKey], in source: CommitSource, _ body: (Commit) -> Void
  ) throws -> Bool {
    let (row, head, reader) = (source.row, source.head, source.reader)
    guard revision <= head.revision, try reader.logExtent(after: revision, upTo: head) != nil
    else { return false }
    if revision == head.revision { return true }
    let followed = try source.layouts(layouts, after: revision)
    try reader.forEachLogRow(after: revision, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      var commit = Commit(
        dataset: row.name, revision: entry.revision, incarnation: Incarnation(row.incarnation))
      commit.updates = try batch.updates()
      for layout in followed { commit.add(layout, batch) }
      body(commit)
    }
    return true
  }
}

extension Commit {
  /// Adds the effect on a layout.
  fileprivate mutating func add(_ layout: FollowedLayout, _ batch: LoggedBatch) {
    let (context, result) = (layout.contexts[revision], layout.row?.result)
    if context == nil, let refusal = layout.refusal {
      return add(LaggingLayout(layout: layout.name, refusal))
    }
    let isRelaid =
      layout.row.map { batch.isEverything(for: $0.id) } == true
      || revision <= result?.historyBegin ?? 0
    add(
      LayoutChange(
        layout: layout.name, incarnation: result.map { Incarnation($0.incarnation) } ?? "",
        context: context ?? .everything(updates.reason ?? (isRelaid ? .relaid : .notFollowed))))
  }

  /// Returns the commit reduced to the layouts that a listener follows.
  func concerning(_ names: [String]) -> Commit {
    let wanted = Set(names.map(ExactKey.init))
    var commit = self
    commit.layouts.removeAll { !wanted.contains(ExactKey($0.layout)) }
    commit.behind.removeAll { !wanted.contains(ExactKey($0.layout)) }
    return commit
  }
}
