import CollectionLayout
public import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Carries out a batch of operations, each on the result of those before it: all
  /// of them, durably, or none.
  ///
  ///     let commit = try cache.update("tate", with: [
  ///       .insert([Item(key: "a", width: 4, height: 3)], at: .index(0, section: "1997")),
  ///       .delete(keys: ["b"]),
  ///     ])
  ///
  /// A commit appends one row to the dataset's log. Readers go on with the revision
  /// before until it is done, and never wait for it.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - operations: The batch. An operation that changes nothing, such as a resize to
  ///     the same size, counts for nothing, and a batch of only such makes no revision.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - layouts: The layouts that the commit brings up to date at once. With
  ///     ``UpdatedLayouts/named(_:)`` those that have not been laid out are, before the batch
  ///     is decided on.
  ///   - expected: The revision that the batch was made for: at any other it is refused,
  ///     even where it would change nothing. `nil` for any.
  /// - Returns: The new revision, or the present one where the batch makes none, or that of
  ///   an earlier commit where its mark says that it was carried out by that; what the
  ///   batch did to the dataset's lists, and what to those layouts; see ``Commit/layouts``. A
  ///   layout that could not be brought up to date is named with the reason; it is no reason to
  ///   refuse a batch, which the dataset alone decides on.
  /// - Throws: ``LayoutCacheError``: `refused` with the operation's number and the
  ///   reason, `revisionMismatch`, `noSuchDataset`, `noSuchLayout` for a name, `batchTooLong`,
  ///   `database`. Nothing is then changed.
  /// - Complexity: O(log items) nodes for each item that is inserted, deleted, moved
  ///   or resized, for each layout brought up to date; `exact` waterfalls place
  ///   later items anew until their columns agree. One row is written, and every
  ///   thousand commits the nodes that they have changed.
  @discardableResult
  public func update(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    preparing layouts: UpdatedLayouts = .inUse, expecting expected: Int? = nil
  ) throws -> Commit {
    try call { _ in
      if !operations.isEmpty { try bringNamed(layouts, of: dataset) }
      return try commit(
        StatedBatch(
          work: .operations(operations), visible: visible, layouts: layouts, expected: expected),
        to: dataset)
    }
  }

  /// Brings the layouts that a caller has named into use, before the write lock is taken.
  ///
  /// - Throws: What ``read(_:freshness:_:)`` throws, except where a layout can't be laid out:
  ///   the commit reports it.
  func bringNamed(_ layouts: UpdatedLayouts, of dataset: String) throws {
    for name in layouts.names {
      do {
        try read(LayoutID(name, of: dataset)) { _ in }
      } catch let error as LayoutCacheError {
        switch error.code {
        case .cannotLayOut, .configuration: continue
        default: throw error
        }
      }
    }
  }

  /// Commits a batch.
  func commit(_ batch: StatedBatch, to dataset: String) throws -> Commit {
    try resolvingFirst(batch, in: dataset) { try commitResolved($0, to: dataset) }
  }

  func commitResolved(_ batch: StatedBatch, to dataset: String) throws -> Commit {
    try decided { log in
      let pending = pending(of: batch, in: dataset)
      let outcome = try log.commit(SharedChange(batch), to: dataset, batch.view)
      guard case .isCommitted(let commit) = outcome else {
        preconditionFailure("what has no request is not replayed")
      }
      return try finish(commit, of: batch, pending)
    } here: {
      let asked = openDatasets.known(dataset).asked
      let (commit, pending) = try change(dataset) {
        try carryOut(batch, in: &$0, asked: asked)
      }
      return try finish(commit, pending)
    }
  }

  /// A layout that a batch says is to be laid out from scratch, once it is committed.
  struct PendingLayout {
    fileprivate var name: String
    fileprivate var contentSizeBefore: Size
    /// The cells that the client sees of it before.
    fileprivate var seen: AnchorCandidates?
  }

  /// What a batch lets be laid out from scratch, as it is before it is decided on elsewhere.
  func pending(of batch: StatedBatch, in dataset: String) -> [PendingLayout] {
    guard case .operations(let operations) = batch.work else { return [] }
    var names: [String] = []
    for case .invalidate(let layout, _, _, everything: true) in operations
    where !names.contains(layout) {
      names.append(layout)
    }
    guard !names.isEmpty, let state = openDatasets.known(dataset).state else { return [] }
    return names.compactMap { name in
      guard let layout = state.layout(named: name) else { return nil }
      let snapshot = snapshot(layout, of: state)
      return PendingLayout(
        name: name, contentSizeBefore: layout.contentSize,
        // Where that can't be read the layout is damaged, which is no reason to refuse a batch.
        seen: batch.visible.flatMap { try? snapshot.anchorCandidates(in: $0).captured() })
    }
  }

  /// Carries out a batch in a transaction.
  ///
  /// - Parameter asked: The layouts that somebody has asked for since the last commit.
  /// - Returns: What it came to, but for layouts that are then to be laid out; see
  ///   ``finish(_:_:)``.
  func carryOut(
    _ batch: StatedBatch, in change: inout DatasetChange, asked: OpenDatasets.AskedLayouts
  ) throws -> (Commit, [PendingLayout]) {
    let row = change.state.row
    if case .operations(let operations) = batch.work,
      let revision = try change.writer.reader.repeatedRevision(of: operations, in: row.id)
    {
      return (Commit(repeating: revision, of: row), [])
    }
    try change.state.require(revision: batch.expected)
    var (commit, pending) = try carryOut(batch.view, in: &change, asked: asked) { change in
      switch batch.work {
      case .operations(let operations):
        try resolve(operations, batch.resolution, in: &change)
      case .undo: try change.takeBackNewest()
      }
    }
    batch.list(in: &commit)
    return (commit, pending)
  }

  /// Carries out what `resolve` makes of a batch, and has carried out on the dataset's trees,
  /// or nothing where that is `nil`.
  func carryOut(
    _ view: BatchView, in change: inout DatasetChange, asked: OpenDatasets.AskedLayouts,
    _ resolve: (inout DatasetChange) throws -> LoggedBatch?
  ) throws -> (Commit, [PendingLayout]) {
    try change.bringIntoUse(view.layouts, asked: asked)
    let old = change.state
    defer { noteLoaded(change.session) }
    var commit = Commit(changingNothingAt: old.revision, of: old.row)
    guard let logged = try resolve(&change) else { return (commit, []) }
    var consequences = try change.commit(logged)
    consequences.addToBeLaidOut(view.names)
    commit.revision = change.state.revision
    commit.updates = try logged.updates()
    let seen = try view.visible.map {
      try adjustOffsets(
        $0, ItemMoves(commit.updates), from: old, in: &change, &consequences)
    }
    commit.layouts = consequences.changes
    commit.behind = consequences.behind
    let pending = consequences.toBeLaidOut.map { name in
      PendingLayout(
        name: name, contentSizeBefore: old.layout(named: name)?.contentSize ?? .zero,
        seen: seen?[name])
    }
    return (commit, pending)
  }

  /// Looks operations up, and carries them out on the dataset's trees.
  ///
  /// - Returns: `nil` where they make no revision.
  /// - Throws: Besides, `changedMeanwhile` where they are to be resolved on a snapshot first.
  private func resolve(
    _ operations: [BatchOperation], _ resolution: BatchResolution?, in change: inout DatasetChange
  ) throws -> LoggedBatch? {
    if operations.takePass {
      let batch = try resolution.current(on: change.state.row, at: change.state.revision)
      if let batch { try change.state.carryOut(batch, in: change.session, path: path) }
      return batch
    }
    var resolver = resolver(of: change.state, change.writer.reader, change.session)
    try resolver.apply(operations)
    guard resolver.makesRevision else { return nil }
    change.state.trees = resolver.trees
    return LoggedBatch(operations: resolver.resolved)
  }

  /// Says in the contexts how to keep visible cells where they are.
  ///
  /// - Returns: What is seen of layouts that are still to be laid out, by name.
  private func adjustOffsets(
    _ visible: Rect, _ moves: ItemMoves, from old: DatasetState,
    in change: inout DatasetChange, _ consequences: inout DatasetChange.Consequences
  ) throws -> [String: AnchorCandidates] {
    // What the change has written only its own transaction sees; what it has deleted
    // only others do.
    let ownSession = TreeSession(change.writer.reader)
    var pending: [String: AnchorCandidates] = [:]
    for layout in old.layouts.values {
      let name = layout.row.name
      do {
        if consequences.toBeLaidOut.contains(name) {
          pending[name] = try snapshot(layout, of: old).anchorCandidates(in: visible).captured()
        }
        guard let taken = consequences.changes.firstIndex(where: { $0.layout == name }),
          let current = change.state.layout(named: name)
        else { continue }
        let seen = try snapshot(layout, of: old).anchorCandidates(in: visible)
        consequences.changes[taken].context.contentOffsetAdjustment = try snapshot(
          current, of: change.state
        ).contentOffsetAdjustment(keeping: seen, moves, in: ownSession)
      } catch {
        // As where a layout can't follow: that is no reason to refuse the batch.
        guard let damage = Damage(error), damage.space != change.state.row.space else {
          throw error
        }
        change.leaveBehind(layout, damage, &consequences)
      }
    }
    return pending
  }

  /// Lays out what a batch has left to be laid out, now that it is committed.
  func finish(_ commit: Commit, _ pending: [PendingLayout]) throws -> Commit {
    try pending.reduce(into: commit) { try layOut($1, for: &$0) }
  }

  /// As ``finish(_:_:)``, of a batch that was decided on elsewhere.
  func finish(
    _ commit: Commit, of batch: StatedBatch, _ pending: [PendingLayout]
  ) throws -> Commit {
    if commit.isRepeated { return commit }
    var finished = try finish(commit, pending)
    // Without an entry nothing has changed.
    if commit.sequence != nil {
      for name in batch.layouts.names where !finished.mentions(name) {
        try layOut(
          PendingLayout(name: name, contentSizeBefore: .zero, seen: nil), for: &finished)
      }
    }
    batch.list(in: &finished)
    return finished
  }

  private func snapshot(_ layout: LayoutState, of state: DatasetState) -> LayoutSnapshot {
    LayoutSnapshot(state, layout, source: PooledNodes(store: store))
  }

  /// Lays a layout out from scratch, as a batch says, now that it is committed and nobody
  /// waits for it.
  private func layOut(_ pending: PendingLayout, for commit: inout Commit) throws {
    let layout = LayoutID(pending.name, of: commit.dataset)
    do {
      var context = try prepare(layout).context ?? .everything
      let updates = commit.updates
      let change = try read(layout) { snapshot in
        context.contentSizeAdjustment = snapshot.contentSize - pending.contentSizeBefore
        if let seen = pending.seen {
          context.contentOffsetAdjustment = try snapshot.query {
            try snapshot.contentOffsetAdjustment(
              keeping: seen, ItemMoves(updates), in: $0.session)
          }.result
        }
        return Commit.LayoutChange(
          layout: pending.name, incarnation: snapshot.resultIncarnation, context: context)
      }
      commit.add(change)
    } catch let error as LayoutCacheError {
      // The batch is committed, whatever becomes of a layout.
      commit.add(Commit.LayoutBehind(layout: pending.name, error))
    }
  }

  func noteLoaded(_ session: TreeSession) {
    guard session.bytesLoaded > 0 else { return }
    noteLoaded(bytes: session.bytesLoaded)
  }

  /// Notes memory that nodes have filled, and lets go of nodes where that exceeds the budget.
  func noteLoaded(bytes: Int) {
    if openDatasets.noteLoaded(bytes: bytes, budget: options.nodeCacheBytes) {
      following.unload()
    }
  }
}
