import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

/// A change of one dataset in progress: its transaction, and the resulting state.
struct DatasetChange {
  let writer: StoreWriter
  var state: DatasetState
  /// The session that reads and edits the dataset's trees.
  private(set) var session: TreeSession
  /// The time of the change, in milliseconds since 1970.
  private(set) var now: Int64
  /// Whether the change is decided at its place in a shared log.
  private(set) var isLogged = false
  /// The time that layouts took to follow the change.
  private(set) var layoutDuration = Duration.zero
  /// Whether layouts were added, changed or removed.
  var changesLayouts = false
  /// The trees as the resolver has edited them for the change; `nil` if it has not.
  var edited: DatasetTrees?
  /// The active layouts that the next commit does not update.
  private var unrequested: [LayoutState] = []
  let kinds: CustomKinds
  private let logger: Logger
  /// Whether a layout was requested since the last commit, or has listeners.
  private let isRequested: (String) -> Bool

  init(
    _ state: DatasetState, _ writer: StoreWriter, at now: Int64, kinds: CustomKinds,
    logger: Logger, isRequested: @escaping (String) -> Bool
  ) {
    self.isRequested = isRequested
    self.writer = writer
    self.state = state
    self.now = now
    self.kinds = kinds
    self.logger = logger
    session = TreeSession(writer.reader, edits: state.edits)
  }

  /// Begins another commit of the transaction, on the state after the earlier ones.
  ///
  /// - Parameter time: The time of the commit, in milliseconds since 1970. In a shared log, times
  ///   never go back, whatever the clocks of nodes are.
  mutating func begin(at time: Int64, isLogged: Bool = false) {
    self.isLogged = isLogged
    now = isLogged ? max(state.head.time, time) : time
    layoutDuration = .zero
    edited = nil
    session = TreeSession(writer.reader, edits: state.edits)
  }

  /// The outcome of a batch for the layouts that follow it.
  struct LayoutOutcomes {
    var changes: [Commit.LayoutChange] = []
    var behind: [Commit.LaggingLayout] = []
    /// The names of the layouts to lay out from scratch because of the batch, which takes too
    /// long inside a transaction.
    var toBeLaidOut: [String] = []
    /// The names of the layouts that the batch changes too much to follow it in its transaction.
    var preparing: [String] = []
    /// Whether an undo does not restore the columns of a layout that have a history.
    var placesColumns = false

    /// Adds layouts to `toBeLaidOut` unless they are already listed.
    mutating func addToBeLaidOut(_ names: [String]) {
      if names.isEmpty { return }
      let said = Set(
        (changes.map(\.layout) + behind.map(\.layout) + toBeLaidOut + preparing)
          .map(ExactKey.init))
      for name in Set(names.map(ExactKey.init)).subtracting(said).map(\.string).sorted() {
        toBeLaidOut.append(name)
      }
    }
  }

  /// Applies a batch to the dataset's trees, unless resolving it has edited them.
  ///
  /// - Throws: `StoreError` with `corrupt` if the batch does not fit the trees.
  mutating func edit(_ batch: LoggedBatch) throws {
    if let edited {
      state.trees = edited
      return
    }
    try state.carryOut(batch, in: session, path: writer.reader.path)
  }

  /// Updates the active layouts for a batch that was applied to the dataset's trees, and appends
  /// the batch to the log. If the log has grown long, writes the trees too.
  ///
  /// A layout's error does not prevent the commit.
  ///
  /// - Parameter payload: The batch in the log's encoding.
  /// - Throws: The errors of reading the dataset and of writing.
  mutating func commit(_ batch: LoggedBatch, payload: [UInt8]) throws -> LayoutOutcomes {
    let head = state.head
    for layout in unrequested { try leave(layout, at: head.revision) }
    state.edits = session.edits
    state.head.revision += 1
    var contexts = ContextWriter()
    var consequences = LayoutOutcomes()
    let begun = ContinuousClock.now
    for layout in state.layouts.values.sorted(by: { $0.row.name < $1.row.name }) {
      try follow(batch, layout, &contexts, &consequences)
    }
    layoutDuration += begun.duration(to: .now)
    let entry = LogRow(
      after: head, operations: batch.weight, payload: payload, contexts: contexts.bytes, time: now)
    state.head = LogHead(entry)
    try writer.append(entry)
    try putMarks(of: batch)
    state.tail.add(entry)
    state.hasOwnCommits = true
    if state.isCheckpointDue { try state.checkpoint(writer, at: now) }
    assert(state.holdsInvariantsIfChecked(writer.reader))
    return consequences
  }

  /// Applies a batch to an active layout, or deactivates the layout if that fails.
  private mutating func follow(
    _ batch: LoggedBatch, _ layout: LayoutState, _ contexts: inout ContextWriter,
    _ consequences: inout LayoutOutcomes
  ) throws {
    let (id, name) = (layout.row.id, layout.row.name)
    if batch.isEverything(for: id) {
      state.layouts[id] = nil
      return consequences.toBeLaidOut.append(name)
    }
    var layout = layout
    // It is active again if it can follow.
    state.layouts[id] = nil
    do {
      let restores =
        !batch.isUndo || !layout.plan.hasHistory
        || layout.undo.record(
          of: state.revision - batch.undone.count, at: state.revision - 1) != nil
      let context = try layout.apply(
        batch, at: state.revision, state.trees, state.shapes, placing: state.shapes.committedMax,
        in: session)
      try layout.storeSteps(writer)
      contexts.add(context, of: layout)
      state.layouts[id] = layout
      if !restores { consequences.placesColumns = true }
      consequences.changes.append(
        Commit.LayoutChange(layout: name, incarnation: layout.incarnation, context: context))
    } catch is ExceedsCommit {
      try leave(layout, at: state.revision - 1)
      consequences.preparing.append(name)
    } catch {
      if let refusal = LayoutRefusal(error) {
        let error = LayoutCacheError(.cannotLayOut(state.id(ofLayout: name), refusal))
        return consequences.behind.append(Commit.LaggingLayout(layout: name, error))
      }
      // Only the layout's nodes were read. It is laid out again when it is next requested.
      guard let damage = Damage(error) else { throw error }
      leaveLagging(layout, damage, &consequences)
    }
  }

  /// Deactivates a layout after storing it as it was before the commit: it follows from there, in
  /// one step.
  private mutating func leave(_ layout: LayoutState, at revision: Int) throws {
    let id = layout.row.id
    state.layouts[id] = layout
    try state.checkpoint(layout: id, at: revision, writer)
    state.layouts[id] = nil
  }

  /// Deactivates a damaged layout and lists it as lagging.
  mutating func leaveLagging(
    _ layout: LayoutState, _ damage: Damage, _ consequences: inout LayoutOutcomes
  ) {
    let id = state.id(ofLayout: layout.row.name)
    state.layouts[layout.row.id] = nil
    logger.warn(.isLeftLagging, id, damage.detail)
    consequences.changes.removeAll { $0.layout.isExactly(layout.row.name) }
    consequences.behind.append(
      Commit.LaggingLayout(layout: layout.row.name, .damaged(id, damage.detail)))
  }
}

// MARK: - Building

extension DatasetChange {
  /// Replaces the items with a dataset that was built in a separate space. Its layouts lose their
  /// results, which cannot be updated to the new items, except extended ones.
  ///
  /// - Parameters:
  ///   - who: The caller, for the log.
  ///   - extended: Layouts of the new items, each in a separate space.
  mutating func replaceItems(
    with trees: DatasetTrees, in space: NodeSpace, nextNode: Int64, by who: String = "",
    extended: [PreparedLayout] = []
  ) throws {
    try writer.giveBack(.nodes(state.row.space))
    try writer.keep(space)
    state.row.space = space
    state.row.nextNode = nextNode
    // Appended items leave them; the state of a dataset that is replaced has none.
    let measured = state.trees.layoutLengths
    state.trees = trees
    state.trees.layoutLengths = measured
    state.edits = TreeEdits()
    let active = Set(state.layouts.keys)
    state.layouts = [:]
    for var layout in try writer.reader.layouts(of: state.row.id) {
      guard let result = layout.result else { continue }
      try writer.giveBack(.nodes(result.space))
      if let next = extended.first(where: { $0.base.isSameWork(as: layout) }),
        let space = next.ownSpace
      {
        try writer.keep(space)
        state.layouts[layout.id] = next.layout
        continue
      }
      layout.result = nil
      try writer.put(layout)
    }
    for unused in extended where state.layouts[unused.base.id] == nil {
      if let space = unused.ownSpace { try writer.giveBack(.nodes(space)) }
    }
    try state.begin(writer, at: now, by: who)
    state.layouts = state.layouts.filter { active.contains($0.key) }
  }
}

extension DatasetState {
  /// Records in the log that the history begins with the state's trees, and stores them.
  mutating func begin(_ writer: StoreWriter, at now: Int64, by who: String) throws {
    let batch = LoggedBatch.build(by: who)
    let entry = LogRow(after: head, operations: batch.weight, payload: batch.encode(), time: now)
    head = LogHead(entry)
    // The row goes first: a log must belong to an existing dataset.
    try checkpoint(writer, at: now)
    try writer.append(entry)
  }
}

// MARK: - Layouts

extension DatasetChange {
  /// Publishes a prepared layout, so that queries are answered from it.
  ///
  /// - Returns: The outcome: another layout may have been published in the meantime, or this one
  ///   may lag too far to catch up while other writers wait.
  mutating func publish(_ prepared: inout PreparedLayout) throws -> Publication {
    guard let row = try writer.reader.layout(named: prepared.base.name, of: state.row.id),
      row.isSameWork(as: prepared.base)
    else { return .impossible }
    guard
      let extent = try writer.reader.logExtent(after: prepared.revision, upTo: state.head)
    else { return .impossible }
    guard extent.operations <= Budgets.publishedOperations else { return .outdated }
    guard try state.advance(&prepared, writer.reader) else { return .impossible }
    var layout = prepared.layout
    if let space = prepared.ownSpace {
      try writer.keep(space)
      if let old = prepared.base.result { try writer.giveBack(.nodes(old.space)) }
    }
    layout.lastAsked = state.revision
    state.layouts[layout.row.id] = layout
    return try state.checkpoint(layout: layout.row.id, writer) ? .stored : .impossible
  }

  /// The outcome of publishing a layout.
  enum Publication {
    case stored
    /// The dataset has changed so much in the meantime that the layout should catch up first,
    /// without blocking others.
    case outdated
    /// The state that the layout was computed from no longer exists.
    case impossible
  }

  /// Activates the layouts that a commit updates.
  mutating func activate(_ layouts: UpdatedLayouts) throws {
    let revision = state.revision
    for (id, layout) in state.layouts where isRequested(layout.row.name) {
      state.layouts[id]?.lastAsked = revision
    }
    unrequested = []
    switch layouts {
    case .inUse: findUnrequested()
    case .named(let names):
      findUnrequested()
      unrequested.removeAll { layout in names.contains(where: layout.row.name.isExactly) }
      // Only reads happen here; any laying out is done before or after the commit.
      for name in names {
        _ = try state.bring(name, mayLag: false, reader: writer.reader, kinds: kinds)
      }
    case .none: unrequested = Array(state.layouts.values)
    case .upToDate:
      for row in try writer.reader.layouts(of: state.row.id)
      where !row.isOutdated
        && row.result.map({ $0.revision >= state.row.revision }) ?? false
      {
        _ = try state.bring(row.name, mayLag: false, reader: writer.reader, kinds: kinds)
      }
    }
  }

  /// Finds the layouts that were not requested lately: each costs a commit as much as the dataset
  /// itself does. They catch up when they are requested.
  private mutating func findUnrequested() {
    let revision = state.revision
    // The usual case.
    if state.layouts.count <= Budgets.layoutsInUse,
      state.layouts.values.allSatisfy({ revision - $0.lastAsked <= Budgets.commitsInUse })
    {
      return
    }
    let layouts = state.layouts.sorted {
      ($0.value.lastAsked, $0.key) > ($1.value.lastAsked, $1.key)
    }
    unrequested = layouts.enumerated().filter { place, layout in
      place >= Budgets.layoutsInUse || revision - layout.value.lastAsked > Budgets.commitsInUse
    }.map(\.element.value)
  }
}

extension LayoutRow {
  /// Returns whether work that began with `other` still fits this row: the same layout with the
  /// same configuration, and the same result, if any.
  func isSameWork(as other: LayoutRow) -> Bool {
    id == other.id && dataset == other.dataset && configuration.isExactly(other.configuration)
      && (result == nil && other.result == nil || isSameCheckpoint(as: other))
  }
}

extension Logger.Message {
  static let isLaidOutAgain: Logger.Message = "stored layout damaged; laying it out from scratch"
  static let isLeftLagging: Logger.Message = "stored layout damaged; not updated by the commit"
}

extension Logger {
  /// Logs the damage of a stored layout and its consequence.
  func warn(_ message: Message, _ layout: LayoutID, _ detail: String) {
    warning(
      message,
      metadata: [
        "dataset": .string(layout.dataset), "layout": .string(layout.layout),
        "damage": .string(detail),
      ])
  }
}

extension DatasetState {
  /// Returns the batch that reverts the commits after a revision, newest first, and what it
  /// reverts.
  ///
  /// - Parameter target: `nil` for the revision before the newest commit.
  /// - Throws: ``LayoutCacheError`` with `cannotUndo`, `noSuchRevision` or `batchTooLong`; read
  ///   errors.
  func reverted(
    to target: Int?, _ reader: StoreReader
  ) throws -> (batch: LoggedBatch, undone: Commit.Undone)? {
    if let target, target > revision {
      throw LayoutCacheError(.noSuchRevision(target, present: revision, dataset: row.name))
    }
    let first = max(target ?? revision - 1, 0) + 1
    if first > revision { return nil }
    guard let extent = try reader.logExtent(after: first - 1, upTo: head) else {
      throw cannotUndo(first, .notLogged)
    }
    // The inverse has about the same size.
    if extent.bytes / 2 > Limits.batchBytesMax {
      throw LayoutCacheError(tooLongBatch: extent.bytes)
    }
    let remeasured = try reader.layouts(of: row.id, remeasuredSince: first)
    var (inverses, summary) = ([[ResolvedOperation]](), OperationSummary())
    try reader.forEachLogRow(after: first - 1, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      var operations: [ResolvedOperation]
      do throws(BatchError) {
        operations = try batch.inverse()
      } catch { throw cannotUndo(entry.revision, error) }
      let dropped = Set(remeasured.filter { $0.lengthsSince >= entry.revision }.map(\.id))
      if !dropped.isEmpty {
        // Those that would be removed too: they are gone, and a redo must not restore them.
        operations = operations.compactMap { $0.removingLengths(of: dropped) }
      }
      inverses.append(operations)
      summary.add(batch)
    }
    inverses.reverse()
    return (
      LoggedBatch(kind: .undo, undone: inverses.map(\.count), operations: Array(inverses.joined())),
      Commit.Undone(
        first: first, last: revision,
        summary: "undid "
          + (first == revision ? "revision \(revision)" : "revisions \(first) to \(revision)")
          + ": \(summary)")
    )
  }

  private func cannotUndo(_ revision: Int, _ obstacle: BatchError) -> LayoutCacheError {
    LayoutCacheError(.cannotUndo(revision: revision, obstacle, dataset: row.name))
  }
}

extension StoreReader {
  /// Returns the revision of the commit that set the mark of a batch, if it is still the source's
  /// present mark: the batch has been applied.
  ///
  /// - Throws: ``LayoutCacheError`` with `refused` for a second mark in the batch, an unexpected
  ///   present mark, or too many sources.
  func repeatedRevision(
    of operations: [BatchOperation], in dataset: Int64
  ) throws -> Int? {
    var mark: (number: Int, source: String, position: String, after: MarkExpectation)?
    for (index, operation) in operations.enumerated() {
      guard case .mark(let source, let position, let after) = operation else { continue }
      if mark != nil { throw LayoutCacheError(.refused(operation: index + 1, .duplicateMark)) }
      mark = (index + 1, source, position, after)
    }
    guard let mark else { return nil }
    let known = try self.mark(of: dataset, source: mark.source)
    if let known, ExactKey(known.position) == ExactKey(mark.position) { return known.revision }
    if let reason = mark.after.mismatch(source: mark.source, present: known?.position) {
      throw LayoutCacheError(.refused(operation: mark.number, reason))
    }
    if known != nil { return nil }
    let count = try markCount(of: dataset)
    do throws(LimitError) {
      try Limits.check(count + 1, in: 0...Limits.marksMax, as: "sources")
    } catch {
      throw LayoutCacheError(.refused(operation: mark.number, .limit(error, key: nil)))
    }
    return nil
  }
}

extension MarkExpectation {
  /// Returns the reason that a source's present mark is not the expected one; `nil` if it is.
  fileprivate func mismatch(
    source: String, present: String?
  ) -> BatchError? {
    let expected: String?
    switch self {
    case .any: return nil
    case .none: expected = nil
    case .position(let position): expected = position
    }
    if expected.map(ExactKey.init) == present.map(ExactKey.init) { return nil }
    return .markMismatch(source: source, expected: expected, present: present)
  }
}

extension DatasetChange {
  /// Stores the marks set by a committed batch.
  func putMarks(of batch: LoggedBatch) throws {
    for mark in batch.marks {
      try writer.put(
        MarkRow(
          dataset: state.row.id, source: mark.source, position: mark.position,
          revision: state.revision))
    }
  }
}

extension StoreReader {
  /// Returns the latest time stored for a dataset, which is the same on all nodes of a cluster.
  func requestTime(of state: DatasetState) throws -> Int64 {
    max(state.head.time, try lastRequestTime(to: state.row.id) ?? 0)
  }

  /// Returns the outcome of a request that was applied before.
  ///
  /// - Parameter now: The time in milliseconds since 1970.
  /// - Throws: ``LayoutCacheError`` with `idempotencyKeyReused` if the key was used with another
  ///   body.
  func replay(of request: IdempotentRequest, to dataset: Int64, at now: Int64) throws -> RequestRow?
  {
    let row = try self.request(to: dataset, owner: request.owner, key: request.key)
    guard let row, row.time > now - Budgets.requestMilliseconds else { return nil }
    guard row.bodyHash == request.bodyHash else {
      throw LayoutCacheError(.idempotencyKeyReused(request.key))
    }
    return row
  }
}

extension DatasetChange {
  /// Records that a request was applied, and deletes some expired ones.
  ///
  /// - Parameter answer: The answer; `nil` if it is not known yet.
  func remember(_ request: IdempotentRequest, revision: Int, answer: [UInt8]?) throws {
    let kept = answer.flatMap { $0.count <= Budgets.answerBytes ? $0 : nil }
    try writer.put(
      RequestRow(
        dataset: state.row.id, owner: request.owner, key: request.key,
        bodyHash: request.bodyHash, revision: revision, answer: kept, time: now),
      keepingAnswers: Budgets.answersBytes)
    let time = isLogged ? try writer.reader.requestTime(of: state) : now
    try writer.forgetRequests(
      of: state.row.id, upTo: time - Budgets.keptRequestMilliseconds,
      count: Budgets.forgottenRequests)
  }
}
