import LayoutGeometry
import LayoutStore
import SumTree

// Every change takes this path: a request is resolved once, into a value that one function
// applies. In a cluster the request goes through the shared log, and each node takes the path.

extension LayoutCache {
  /// Commits a change of a dataset.
  ///
  /// - Parameter answer: Creates the answer to the request. It is stored with the request's key
  ///   if the change needs no layout laid out from scratch.
  /// - Throws: ``LayoutCacheError``. Nothing has changed then, unless the error comes from a
  ///   layout that was laid out after the commit.
  func commit(
    _ request: ChangeRequest, to dataset: String, answer: ((Commit) -> [UInt8])? = nil
  ) throws -> ChangeOutcome {
    try followingTemplates(dataset) {
      try resolvingFirst(request, in: dataset) {
        try commitResolved($0, to: dataset, answer: answer)
      }
    }
  }

  /// Commits a change together with its resolution, if it needs one.
  ///
  /// - Throws: Also `concurrentModification` if a required resolution is missing or out of date.
  func commitResolved(
    _ request: ChangeRequest, to dataset: String, answer: ((Commit) -> [UInt8])? = nil
  ) throws -> ChangeOutcome {
    try finish(decide(request, to: dataset, answer: answer), of: request, answer: answer)
  }

  /// Commits a change, without the work after the commit; see ``finish(_:of:answer:)``.
  func decide(
    _ request: ChangeRequest, to dataset: String, answer: ((Commit) -> [UInt8])?
  ) throws -> ChangeOutcome {
    if let coordinator = try coordinator() {
      return try coordinator.commit(request, to: dataset)
    }
    return try allOrNothing {
      try change(dataset, isRepeatable: true) { change in
        defer { noteLoaded(change.session) }
        let resolution = try resolve(request, in: &change)
        return try apply(resolution, of: request, to: &change, answer: answer)
      }
    }
  }

  /// Resolves a change on the state of its dataset, after activating the layouts that the commit
  /// updates. Writes nothing.
  ///
  /// - Throws: The errors of the change; read errors.
  func resolve(
    _ request: ChangeRequest, in change: inout DatasetChange
  ) throws -> ChangeResolution {
    do {
      try change.activate(request.viewport.layouts)
    } catch  where change.isLogged {
      // A layout was removed since this node looked for it. Other nodes do not look for it.
      try change.activate(.inUse)
    }
    let writer = change.writer
    var resolver = ChangeResolver(
      request, on: change.state, in: change.session, writer.reader,
      time: change.isLogged ? nil : change.now, kinds: customKinds, layoutsMax: options.layoutsMax,
      makeLayoutID: writer.freshLayoutID)
    let resolution = try resolver.resolve()
    change.edited = resolver.edited
    return resolution
  }

  /// Applies a resolution in a transaction, and records the request.
  func apply(
    _ resolution: ChangeResolution, of request: ChangeRequest, to change: inout DatasetChange,
    answer: ((Commit) -> [UInt8])?
  ) throws -> ChangeOutcome {
    var applied: AppliedChange
    switch resolution {
    case .change(let resolved): applied = try apply(resolved, request.viewport, to: &change)
    case .settled(.applied(let unchanged)): applied = unchanged
    case .settled(let outcome): return outcome
    }
    if let identity = request.request {
      if applied.pending.isEmpty {
        request.list(in: &applied.commit)
        applied.answer = answer?(applied.commit)
      }
      try change.remember(identity, revision: applied.commit.revision, answer: applied.answer)
    }
    return .applied(applied)
  }

  /// Applies a resolved change in a transaction. The commit updates the active layouts.
  ///
  /// - Returns: The result, without the pending layouts; see ``finish(_:of:answer:)``.
  /// - Throws: ``ReplicationError`` if the change does not fit the dataset; read and write errors.
  func apply(
    _ resolved: ResolvedChange, _ viewport: CommitViewport, to change: inout DatasetChange
  ) throws -> AppliedChange {
    let old = change.state
    var applied = AppliedChange(Commit(changingNothingAt: old.revision, of: old.row))
    switch resolved.content {
    case .batch(let batch, let payload):
      // Only the request is recorded. Some batches without operations create a revision.
      if resolved.revision == old.revision { break }
      try change.edit(batch)
      applied.commit.undone = resolved.undone
      try commit(batch, payload, viewport, after: old, to: &change, &applied)
      try change.deletePins(endedBy: batch)
    case .definition(let definition): applied.isNew = try change.change(definition)
    case .pin(let pin): try change.put(pin)
    }
    return applied
  }

  /// Commits a batch that was applied to the dataset's trees.
  private func commit(
    _ batch: LoggedBatch, _ payload: [UInt8], _ viewport: CommitViewport,
    after old: DatasetState, to change: inout DatasetChange, _ applied: inout AppliedChange
  ) throws {
    var consequences = try change.commit(batch, payload: payload)
    consequences.addToBeLaidOut(viewport.layouts.names)
    applied.madeRevision = true
    applied.layoutDuration = change.layoutDuration
    applied.commit.revision = change.state.revision
    applied.commit.updates = try batch.updates()
    let seen = try viewport.visible.map {
      try adjustOffsets(
        $0, viewport, ItemMoves(applied.commit.updates), from: old, in: &change, &consequences)
    }
    applied.commit.layouts = consequences.changes
    applied.commit.undone?.placesColumns = consequences.placesColumns && !batch.isOfData
    applied.commit.behind = consequences.behind
    // Others follow at their next use, instead of delaying the answer.
    let waitsForAll = if case .upToDate = viewport.layouts { true } else { false }
    for name in waitsForAll ? [] : consequences.preparing {
      let error = LayoutCacheError(.preparing(change.state.id(ofLayout: name)))
      applied.commit.add(Commit.LaggingLayout(layout: name, error))
    }
    let following = waitsForAll ? consequences.preparing : []
    applied.pending = (consequences.toBeLaidOut + following).map { name in
      PendingLayout(
        name: name, isFollowing: following.contains { $0.isExactly(name) },
        contentSizeBefore: old.layout(named: name)?.contentSize ?? .zero,
        seen: seen?[ExactKey(name)], direction: viewport.direction)
    }
  }

  /// Sets the content offset adjustments that keep the visible cells, or the end, in place.
  ///
  /// - Returns: The visible cells of pending layouts, by name.
  private func adjustOffsets(
    _ visible: Rect, _ viewport: CommitViewport, _ moves: ItemMoves, from old: DatasetState,
    in change: inout DatasetChange, _ consequences: inout DatasetChange.LayoutOutcomes
  ) throws -> [ExactKey: AnchorCandidates] {
    // Only this transaction sees the rows that the change has written; only other transactions
    // see the rows that it has deleted.
    let ownSession = TreeSession(change.writer.reader)
    let later = consequences.toBeLaidOut + consequences.preparing
    var pending: [ExactKey: AnchorCandidates] = [:]
    for layout in old.layouts.values {
      let name = layout.row.name
      do {
        if later.contains(where: { $0.isExactly(name) }) {
          pending[ExactKey(name)] = try snapshot(layout, of: old).reading(viewport.direction)
            .anchorCandidates(in: visible, viewport.anchor).captured()
        }
        guard let taken = consequences.changes.firstIndex(where: { $0.layout.isExactly(name) }),
          let current = change.state.layout(named: name)
        else { continue }
        let seen = try snapshot(layout, of: old).reading(viewport.direction)
          .anchorCandidates(in: visible, viewport.anchor)
        consequences.changes[taken].context.contentOffsetAdjustment = try snapshot(
          current, of: change.state
        ).reading(viewport.direction)
          .contentOffsetAdjustment(keeping: seen, moves, in: ownSession)
      } catch {
        // As for a layout that cannot follow, this is no reason to reject the batch.
        guard let damage = Damage(error), damage.space != change.state.row.space else {
          throw error
        }
        change.leaveLagging(layout, damage, &consequences)
      }
    }
    return pending
  }

  /// Lays out the pending layouts of a commit and creates the answer.
  func finish(
    _ outcome: ChangeOutcome, of request: ChangeRequest, answer: ((Commit) -> [UInt8])?
  ) throws -> ChangeOutcome {
    guard case .applied(var applied) = outcome else { return outcome }
    for pending in applied.pending { try layOut(pending, for: &applied.commit) }
    request.list(in: &applied.commit)
    if applied.answer == nil { applied.answer = answer?(applied.commit) }
    return .applied(applied)
  }

  func snapshot(_ layout: LayoutState, of state: DatasetState) -> LayoutSnapshot {
    LayoutSnapshot(state, layout, source: PooledNodes(store: store), kinds: customKinds)
  }

  /// Lays out a pending layout, or lets it follow, after the commit and without a lock.
  private func layOut(_ pending: PendingLayout, for commit: inout Commit) throws {
    let layout = LayoutID(pending.name, of: commit.dataset)
    do {
      var context = try prepare(layout).context ?? .everything(.relaid)
      if pending.isFollowing {
        let changes = try changes(
          of: commit.dataset, since: commit.revision - 1, layout: pending.name)
        // Another commit may have followed.
        let own = changes.revision == commit.revision ? changes.layouts.first : nil
        context = own?.context ?? .everything(.tooLarge)
      }
      let updates = commit.updates
      let change = try read(layout) { snapshot in
        context.contentSizeAdjustment = snapshot.contentSize - pending.contentSizeBefore
        if let seen = pending.seen {
          let snapshot = snapshot.reading(pending.direction)
          context.contentOffsetAdjustment = try snapshot.query {
            try snapshot.contentOffsetAdjustment(keeping: seen, ItemMoves(updates), in: $0.session)
          }.result
        }
        return Commit.LayoutChange(
          layout: pending.name, incarnation: snapshot.resultIncarnation, context: context)
      }
      commit.add(change)
    } catch let error as LayoutCacheError {
      // The batch is committed even if a layout fails.
      commit.add(Commit.LaggingLayout(layout: pending.name, error))
    }
  }

  func noteLoaded(_ session: TreeSession) { noteLoaded(bytes: session.bytesLoaded) }

  /// Records the memory used by loaded nodes, and unloads nodes if it exceeds the budget.
  func noteLoaded(bytes: Int) {
    if bytes == 0 { return }
    if openDatasets.noteLoaded(
      bytes: bytes, budget: options.nodeCacheBytes, isFollowed: following.isFollowed)
    {
      temporary.unload()
    }
  }
}
