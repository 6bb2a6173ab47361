import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A dataset's state that is moved along its log, one entry after the other, to say of each
/// commit what it did to some layouts.
///
/// What it says follows from the log and the stored results alone, whoever committed. The
/// state shares its nodes with others, is never stored, and may lose nodes to a checkpoint
/// that somebody else has made; it is then opened at that checkpoint again, and of what
/// lies before it says "everything".
struct LogReplay {
  private let kinds: CustomKinds
  private let shapes: TreeShapes
  /// The dataset, with those of the layouts in use that can be followed; no earlier than
  /// ``revision``.
  private(set) var state: DatasetState
  /// The last revision that has been told.
  private(set) var revision: Int
  /// The names of the layouts that are followed.
  private(set) var names: Set<ExactKey>
  /// The names of the stored results' histories.
  private var incarnations: [ExactKey: Incarnation] = [:]
  /// The layouts that can't be brought into use, with the stored results that say so.
  private var hindered: [ExactKey: Hindrance] = [:]

  private struct Hindrance: Equatable {
    var layout: Int64
    var result: NodeSpace?
    var revision: Int?
    /// Whether the result is later than the state: it can be followed from its revision on.
    var isLater: Bool
  }

  /// The state can't be moved on: what leads on is a later checkpoint.
  private struct NeedsCheckpoint: Error {}

  /// - Parameters:
  ///   - row: The dataset's, as the file has it.
  ///   - revision: What has been told already: none that is still to come.
  init(
    _ row: DatasetRow, after revision: Int, of names: some Sequence<String>,
    _ reader: StoreReader, _ kinds: CustomKinds, _ shapes: TreeShapes
  ) throws {
    self.kinds = kinds
    self.shapes = shapes
    self.revision = revision
    self.names = Set(names.map(ExactKey.init))
    state = try Self.state(row, notBefore: revision, reader, shapes)
    try bringLayouts(reader)
  }

  /// Whether it is of a dataset that has this row now.
  func isOf(_ row: DatasetRow) -> Bool {
    state.row.id == row.id && isOfHistory(of: row)
  }

  /// Whether it is of a dataset with the history of the one that has this row now.
  func isOfHistory(of row: DatasetRow) -> Bool { state.row.incarnation == row.incarnation }

  /// Follows other layouts too.
  mutating func add(_ layouts: [String], _ reader: StoreReader) throws {
    let before = names.count
    names.formUnion(layouts.map(ExactKey.init))
    if names.count > before { try bringLayouts(reader) }
  }

  /// Follows only some layouts from now on.
  mutating func keep(_ layouts: Set<ExactKey>) {
    names.formIntersection(layouts)
    for (id, layout) in state.layouts where !names.contains(ExactKey(layout.row.name)) {
      state.layouts[id] = nil
    }
  }

  /// Lets go of what is in memory, because the nodes there are not what they say.
  mutating func reopen(_ row: DatasetRow, _ reader: StoreReader) throws {
    state = try Self.state(row, notBefore: revision, reader, shapes)
    hindered = [:]
    try bringLayouts(reader)
  }

  /// Gives back the nodes that were loaded.
  mutating func unload() { state.unload() }
}

// MARK: - Moving on

extension LogReplay {
  /// Moves on to what the file holds, and tells each commit on the way.
  ///
  /// - Parameter tell: Takes the commit with what it did to the layouts followed: all of
  ///   them, by name. What can't be said is "everything".
  /// - Returns: `false`, having told nothing, where the log does not lead there.
  /// - Throws: What reading the dataset and its log throws. What has been told is not told
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
        guard error is NeedsCheckpoint || Damage(error) != nil,
          !state.row.isSameCheckpoint(as: row)
        else { throw error }
        // What trails behind it may be what is damaged.
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
    try state.recallFormerIfUndone(reader)
    let session = TreeSession(reader)
    try reader.forEachLogRow(after: revision, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      var commit = Commit(
        dataset: row.name, revision: entry.revision, incarnation: Incarnation(row.incarnation))
      commit.updates = try batch.updates()
      if entry.revision > state.revision {
        if batch.operations.contains(.build) { throw NeedsCheckpoint() }
        // A copy: what can't follow is of no more use.
        var next = state
        let dataset = state
        try next.follow(entry, batch, in: session, path: reader.path) { layout, followed in
          commit.add(followed, layout, of: dataset)
        }
        state = next
      }
      commit.updates = try batch.updates()
      commit.addEverything(for: names, incarnations)
      revision = entry.revision
      tell(commit)
    }
  }

  /// Takes over a state that others hold, if it is of the same revision: memory is shared
  /// then.
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
    // Nobody stores this state, and to continue with an account copies some of it each time.
    state.edits = TreeEdits()
  }
}

// MARK: - Opening

extension LogReplay {
  /// The dataset at a revision, or at its checkpoint where that is later and beyond the reach of
  /// history.
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

  /// Goes over to the checkpoints that the file has, as far as they are not ahead: the nodes
  /// of earlier ones are being deleted.
  private mutating func rebase(_ row: DatasetRow, _ reader: StoreReader) throws {
    if !state.row.isSameCheckpoint(as: row), row.revision <= state.revision {
      var fresh = try Self.state(row, notBefore: state.revision, reader, shapes)
      assert(fresh.revision == state.revision, "the log leads to the state's revision")
      fresh.layouts = state.layouts
      state = fresh
    }
    try bringLayouts(reader)
  }

  /// Brings the layouts into use that are not, where that can be, and those again whose
  /// stored results are others.
  private mutating func bringLayouts(_ reader: StoreReader) throws {
    for name in names {
      let stored = try reader.layout(named: name.string, of: state.row.id)
      incarnations[name] = stored?.result.map { Incarnation($0.incarnation) }
      if let present = state.layouts.values.first(where: { ExactKey($0.row.name) == name }) {
        if let stored, canGoOn(present, from: stored) { continue }
        state.layouts[present.row.id] = nil
      }
      // Of a later result nothing can be said yet.
      guard let stored, stored.result.map({ $0.historyBegin <= state.revision }) ?? true
      else { continue }
      let hindrance = Hindrance(
        layout: stored.id, result: stored.result?.space, revision: stored.result?.revision,
        isLater: stored.result.map { $0.revision > state.revision } ?? false)
      if hindered[name] == hindrance { continue }
      // To lay it out again is not for who only listens, so it is followed as far as can be.
      let readiness = try state.bring(
        name.string, mayBeBehind: true, reader: reader, kinds: kinds,
        lagMax: state.historyLagMax)
      switch readiness {
      case .ready: hindered[name] = nil
      case .needsLayout, .isBehindCheckpoint, .isDamaged, .isRefused: hindered[name] = hindrance
      }
    }
  }

  /// Whether a layout can be moved on as it is, where the file has a row of it.
  private func canGoOn(_ layout: LayoutState, from stored: LayoutRow) -> Bool {
    guard stored.id == layout.row.id, let result = stored.result,
      result.incarnation == layout.row.result?.incarnation
    else { return false }
    if result.revision > state.revision { return true }
    return stored.isSameCheckpoint(as: layout.row)
      && layout.edits.dirtyNodes <= Budgets.followedNodes
  }
}

// MARK: - What is told

extension Commit {
  /// Adds what became of a layout that was in use.
  fileprivate mutating func add(
    _ followed: DatasetState.Followed, _ layout: LayoutState, of dataset: DatasetState
  ) {
    let name = layout.row.name
    switch followed {
    case .context(let context):
      add(LayoutChange(layout: name, incarnation: layout.incarnation, context: context))
    case .isBeyond(let refusal):
      add(
        LayoutBehind(
          layout: name, LayoutCacheError(.cannotLayOut(dataset.id(ofLayout: name), refusal))))
    case .needsLayout: break
    }
  }

  /// Adds "everything" for the layouts of which nothing is said.
  fileprivate mutating func addEverything(
    for names: Set<ExactKey>, _ incarnations: [ExactKey: Incarnation]
  ) {
    let said = Set(layouts.map { ExactKey($0.layout) } + behind.map { ExactKey($0.layout) })
    for name in names.subtracting(said) {
      layouts.append(
        LayoutChange(
          layout: name.string, incarnation: incarnations[name] ?? "", context: .everything))
    }
    layouts.sort { $0.layout < $1.layout }
  }

  /// The commit as a listener is told it that wants to hear of some layouts.
  func concerning(_ names: [String]) -> Commit {
    let wanted = Set(names.map(ExactKey.init))
    var commit = self
    commit.layouts.removeAll { !wanted.contains(ExactKey($0.layout)) }
    commit.behind.removeAll { !wanted.contains(ExactKey($0.layout)) }
    return commit
  }
}
