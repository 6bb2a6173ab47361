import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A dataset's state that is advanced along its log, entry by entry, to determine the effect of
/// each commit on some layouts.
///
/// The result depends only on the log and the stored results, not on the committing process. The
/// state shares its nodes with others, is never stored, and may lose nodes to a newer checkpoint.
/// It is then opened again at that checkpoint, and reports "everything" for the commits before
/// it.
struct LogReplay {
  private let kinds: CustomKinds
  private let shapes: TreeShapes
  /// The dataset, with the followed layouts that can be active; no earlier than ``revision``.
  private(set) var state: DatasetState
  /// The dataset's number in a shared log; `nil` if it follows none.
  private let number: Int64?
  /// The last reported revision.
  private(set) var revision: Int
  /// The number of the last definition of a layout that was reported.
  var definition: Int
  /// Likewise of a template.
  var template: Int
  /// The names of the followed layouts.
  private(set) var names: Set<ExactKey>
  /// The incarnations of the stored results.
  private var incarnations: [ExactKey: Incarnation] = [:]
  /// The layouts that cannot be activated, each with the stored result that was tried.
  private var hindered: [ExactKey: ReplayBlocker] = [:]

  private struct ReplayBlocker: Equatable {
    var layout: Int64
    var result: NodeSpace?
    var revision: Int?
    /// Whether the result is newer than the state: the layout can be followed from that revision
    /// on.
    var isLater: Bool
  }

  /// - Parameters:
  ///   - row: The dataset's row in the file.
  ///   - revision: The last revision already reported; at most the log's.
  init(
    _ row: DatasetRow, after revision: Int, of names: some Sequence<String>,
    _ reader: StoreReader, _ kinds: CustomKinds, _ shapes: TreeShapes
  ) throws {
    self.kinds = kinds
    self.shapes = shapes
    self.revision = revision
    self.names = Set(names.map(ExactKey.init))
    number = try reader.replica(of: row.id)?.number
    definition = try reader.lastDefinition(in: row.id)
    template = try reader.lastDefinition(in: 0)
    state = try Self.state(row, notBefore: revision, reader, shapes)
    try bringLayouts(reader)
  }

  func isOf(_ row: DatasetRow) -> Bool {
    state.row.id == row.id && isOfHistory(of: row)
  }

  private func isOfHistory(of row: DatasetRow) -> Bool {
    state.row.incarnation == row.incarnation
  }

  /// Returns whether a row is of the same dataset of a shared log, loaded again: perhaps with
  /// another history, because the log has lost entries.
  func isReplaced(by row: DatasetRow, _ reader: StoreReader) throws -> Bool {
    if isOfHistory(of: row) { return true }
    guard let number else { return false }
    return try reader.replica(of: row.id)?.number == number
  }

  /// Follows additional layouts.
  mutating func add(_ layouts: [String], _ reader: StoreReader) throws {
    let before = names.count
    names.formUnion(layouts.map(ExactKey.init))
    if names.count > before { try bringLayouts(reader) }
  }

  /// Reduces the followed layouts to `layouts`.
  mutating func keep(_ layouts: Set<ExactKey>) {
    names.formIntersection(layouts)
    for (id, layout) in state.layouts where !names.contains(ExactKey(layout.row.name)) {
      state.layouts[id] = nil
    }
  }

  /// Discards the state in memory, because its nodes may differ from the stored ones.
  mutating func reopen(_ row: DatasetRow, _ reader: StoreReader) throws {
    state = try Self.state(row, notBefore: revision, reader, shapes)
    hindered = [:]
    try bringLayouts(reader)
  }

  /// Releases the loaded nodes.
  mutating func unload() { state.unload() }
}

// MARK: - Advancing

extension LogReplay {
  /// Advances to the file's state and reports each commit on the way.
  ///
  /// - Parameter tell: Receives each commit with its effect on all followed layouts, by name;
  ///   "everything" if the effect is unknown.
  /// - Returns: `false` if the log does not lead to the file's state; then nothing is reported.
  /// - Throws: The errors of reading the dataset and its log. Reported commits are not reported
  ///   again.
  mutating func advance(
    _ row: DatasetRow, to head: LogHead, _ reader: StoreReader, tell: (Commit) -> Void
  ) throws -> Bool {
    guard revision <= head.revision,
      try reader.logExtent(after: revision, upTo: head) != nil
    else { return false }
    try rebase(row, reader)
    while revision < head.revision {
      do {
        try follow(row, to: head, reader, tell)
      } catch {
        guard error is HistoryIsLost || Damage(error) != nil,
          !state.row.isSameCheckpoint(as: row)
        else { throw error }
        // The damage may be in data older than the file's checkpoint.
        state = try Self.state(row, notBefore: max(revision, row.revision), reader, shapes)
        try bringLayouts(reader)
      }
    }
    try rebase(row, reader)
    return true
  }

  private mutating func follow(
    _ row: DatasetRow, to head: LogHead, _ reader: StoreReader, _ tell: (Commit) -> Void
  ) throws {
    let session = TreeSession(reader)
    try reader.forEachLogRow(after: revision, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      var commit = Commit(
        dataset: row.name, revision: entry.revision, incarnation: Incarnation(row.incarnation))
      let active = entry.revision > state.revision ? state.layouts : [:]
      if entry.revision > state.revision {
        if batch.kind == .build { throw HistoryIsLost() }
        // A copy, because a state that fails to follow is unusable.
        var next = state
        let dataset = state
        try next.follow(entry, batch, in: session, path: reader.path) { layout, followed in
          commit.add(followed, layout, of: dataset)
        }
        state = next
      }
      commit.updates = try batch.updates()
      commit.addEverything(for: names, incarnations, relaid: active)
      revision = entry.revision
      tell(commit)
    }
  }

  /// Adopts a state that is also used elsewhere, if it is at the same revision, to share its
  /// memory.
  mutating func share(_ other: DatasetState) {
    guard other.revision == state.revision, revision == state.revision, isOf(other.row) else {
      return
    }
    var layouts = state.layouts
    for (id, layout) in other.layouts where names.contains(ExactKey(layout.row.name)) {
      layouts[id] = layout
      layouts[id]?.edits = TreeEdits()
    }
    state = other
    state.isPast = true
    state.layouts = layouts
    // This state is never stored, and continuing with the list of edits would copy part of it
    // each time.
    state.edits = TreeEdits()
  }
}

// MARK: - Opening

extension LogReplay {
  /// Returns the dataset at a revision, or at its checkpoint if that is newer and the revision is
  /// beyond the reach of history.
  private static func state(
    _ row: DatasetRow, notBefore revision: Int, _ reader: StoreReader, _ shapes: TreeShapes
  ) throws -> DatasetState {
    let lagMax = DatasetState.historyLagMax(itemCount: row.itemCount)
    if let extent = try reader.logExtent(after: revision, upTo: reader.logHead(of: row.id)),
      revision >= row.revision || extent.operations <= lagMax,
      let past = try DatasetState.past(row, at: revision, reader, shapes)
    {
      return past
    }
    var state = try DatasetState(checkpoint: row, reader, shapes)
    state.isPast = true
    return state
  }

  /// Switches to the file's checkpoints unless they are newer than the state: the nodes of
  /// earlier checkpoints are being deleted.
  private mutating func rebase(_ row: DatasetRow, _ reader: StoreReader) throws {
    if !state.row.isSameCheckpoint(as: row), row.revision <= state.revision {
      var fresh = try Self.state(row, notBefore: state.revision, reader, shapes)
      assert(fresh.revision == state.revision, "the log leads to the state's revision")
      fresh.layouts = state.layouts
      state = fresh
    }
    try bringLayouts(reader)
  }

  /// Activates followed layouts that are inactive, if possible, and activates those again whose
  /// stored results have changed.
  private mutating func bringLayouts(_ reader: StoreReader) throws {
    for name in names {
      let stored = try reader.layout(named: name.string, of: state.row.id)
      incarnations[name] = stored?.result.map { Incarnation($0.incarnation) }
      if let present = state.layouts.values.first(where: { ExactKey($0.row.name) == name }) {
        if let stored, canGoOn(present, from: stored) { continue }
        state.layouts[present.row.id] = nil
      }
      // A result with a later history cannot be followed yet.
      guard let stored, stored.result.map({ $0.historyBegin <= state.revision }) ?? true
      else { continue }
      let hindrance = ReplayBlocker(
        layout: stored.id, result: stored.result?.space, revision: stored.result?.revision,
        isLater: stored.result.map { $0.revision > state.revision } ?? false)
      if hindered[name] == hindrance { continue }
      // Listeners never cause a layout to be laid out, so it is followed as far as possible.
      let readiness = try state.bring(
        name.string, mayLag: true, reader: reader, kinds: kinds, lagMax: state.historyLagMax)
      switch readiness {
      case .ready: hindered[name] = nil
      case .needsLayout, .behindCheckpoint, .damaged, .rejected: hindered[name] = hindrance
      }
    }
  }

  /// Returns whether an active layout can continue, given its row in the file.
  private func canGoOn(_ layout: LayoutState, from stored: LayoutRow) -> Bool {
    guard stored.id == layout.row.id, let result = stored.result,
      result.incarnation == layout.row.result?.incarnation
    else { return false }
    if result.revision > state.revision { return true }
    return stored.isSameCheckpoint(as: layout.row)
      && layout.edits.dirtyNodes <= Budgets.followedNodes
  }
}

// MARK: - Reporting

extension Commit {
  /// Adds the outcome for a layout that was active.
  fileprivate mutating func add(
    _ followed: DatasetState.Followed, _ layout: LayoutState, of dataset: DatasetState
  ) {
    let name = layout.row.name
    switch followed {
    case .context(let context):
      add(LayoutChange(layout: name, incarnation: layout.incarnation, context: context))
    case .exceedsLimits(let refusal):
      add(
        LaggingLayout(
          layout: name, LayoutCacheError(.cannotLayOut(dataset.id(ofLayout: name), refusal))))
    case .needsLayout: break
    }
  }

  /// Adds "everything" for the layouts without an outcome.
  ///
  /// - Parameter active: The layouts that were followed until this commit.
  fileprivate mutating func addEverything(
    for names: Set<ExactKey>, _ incarnations: [ExactKey: Incarnation],
    relaid active: [Int64: LayoutState]
  ) {
    let said = Set(layouts.map { ExactKey($0.layout) } + behind.map { ExactKey($0.layout) })
    for name in names.subtracting(said) {
      let isActive = active.values.contains { ExactKey($0.row.name) == name }
      let reason = updates.reason ?? (isActive ? .relaid : .notFollowed)
      layouts.append(
        LayoutChange(
          layout: name.string, incarnation: incarnations[name] ?? "", context: .everything(reason)))
    }
    layouts.sort { $0.layout < $1.layout }
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
