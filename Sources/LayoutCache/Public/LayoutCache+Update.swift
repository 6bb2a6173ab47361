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
  ///   - operations: The batch. One that comes to nothing makes no revision.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - layouts: The layouts that the commit brings up to date at once.
  /// - Returns: The new revision, and what the batch did to those layouts.
  /// - Throws: ``LayoutCacheError``: `refused` with the operation's number and the
  ///   reason, `noSuchDataset`, `cannotLayOut`, `database`. Nothing is then changed.
  /// - Complexity: O(log items) nodes for each item that is inserted, deleted, moved
  ///   or resized, for each layout brought up to date; `exact` waterfalls place
  ///   later items anew until their columns agree. One row is written, and every
  ///   thousand commits the nodes that they have changed.
  @discardableResult
  public func update(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    preparing layouts: UpdatedLayouts = .inUse
  ) throws -> Commit {
    try change(dataset) { change in
      try change.bringIntoUse(layouts)
      let old = change.state
      let (reader, session) = (change.writer.reader, change.session)
      defer { noteLoaded(session) }
      var resolver = OperationResolver(old.trees, in: session) {
        try reader.layout(named: $0, of: old.row.id)?.id
      }
      try resolver.apply(operations)
      let batch = LoggedBatch(operations: resolver.resolved)
      if batch.operations.isEmpty {
        return Commit(dataset: dataset, revision: old.revision)
      }
      change.state.trees = resolver.trees
      var changes = try change.commit(batch)
      if let visible {
        for index in changes.indices.reversed() {
          do {
            try adjustOffset(&changes[index], visible: visible, from: old, to: change)
          } catch {
            // As where a layout can't follow: that is no reason to refuse the batch.
            guard let damage = Damage(error), damage.space != change.state.row.space,
              let layout = change.state.layout(named: changes[index].layout)
            else { throw error }
            change.leaveBehind(layout, damage)
            changes.remove(at: index)
          }
        }
      }
      return Commit(
        dataset: dataset, revision: change.state.revision, layouts: changes)
    }
  }

  /// Works out what keeps the first visible cell that is still there in its place.
  private func adjustOffset(
    _ change: inout Commit.LayoutChange, visible: Rect, from old: DatasetState,
    to new: DatasetChange
  ) throws {
    guard let before = old.layout(named: change.layout),
      let after = new.state.layout(named: change.layout)
    else { return }
    let source = PooledNodes(store: store)
    let shown = LayoutSnapshot(old, before, source: source)
    let current = LayoutSnapshot(new.state, after, source: source)
    // What the change has written only its own transaction sees; what it has deleted
    // only others do.
    let session = TreeSession(new.writer.reader)
    var next: Continuation?
    repeat {
      // Where an effect shows a cell is not where it stands.
      let page = try shown.storedElements(in: visible, limit: 64, from: next)
      for element in page.elements {
        guard case .cell(let key) = element.category,
          let moved = try current.attributes(forKey: key, in: session)
        else { continue }
        switch after.plan.space.scrollAxis {
        case .vertical:
          change.context.contentOffsetAdjustment.y = moved.frame.minY - element.frame.minY
        case .horizontal:
          change.context.contentOffsetAdjustment.x = moved.frame.minX - element.frame.minX
        }
        return
      }
      next = page.next
    } while next != nil
  }

  /// Moves what is only in the log into the trees, for every dataset that this
  /// process has changed.
  ///
  /// That happens by itself when the log has grown long, and at ``close()``; a
  /// service may call it when it is idle.
  ///
  /// - Throws: ``LayoutCacheError`` with `database`; nothing is lost then.
  /// - Complexity: O(nodes changed since the last time).
  public func checkpoint() throws {
    try call { _ in
      for dataset in openDatasets.uncheckpointed() {
        try change(dataset) { change in
          // Another process may have seen to it.
          if change.state.hasOwnCommits { try change.state.checkpoint(change.writer) }
        }
      }
    }
  }

  /// Runs `body` in a transaction on the present state of a dataset, and takes over
  /// what it has made of it once that is committed.
  ///
  /// - Parameter isReplaced: Whether `body` puts another dataset in place of this one;
  ///   it is then given one without items, and the log need not be readable.
  func change<R>(
    _ dataset: String, isReplaced: Bool = false,
    _ body: (inout DatasetChange) throws -> R
  ) throws -> R {
    try mappingErrors(path) {
      var hasWrittenNodes = false
      do {
        return try store.write { writer -> (result: R, state: DatasetState, generation: Int) in
          defer { hasWrittenNodes = writer.hasWrittenNodes }
          let generation = store.foreignGeneration()
          var known = openDatasets.known(dataset)
          let state: DatasetState
          if isReplaced {
            state = try DatasetState.beforeReplacing(
              dataset, reader: writer.reader, shapes: options.treeShapes)
          } else if known.generation == generation, let present = known.state.take() {
            state = present
          } else {
            state = try current(dataset, known: known.state, reader: writer.reader)
          }
          var change = DatasetChange(state, writer, kinds: customKinds, logger: logger)
          let result = try body(&change)
          return (result, change.state, generation)
        } didCommit: { _, state, generation in
          // Before the next writer looks for the state.
          openDatasets.takeCommitted(state, generation: generation)
        }.result
      } catch {
        // Nodes that the state before shares have ids that the file does not know.
        if hasWrittenNodes { openDatasets.drop(dataset) }
        throw error
      }
    }
  }

  func noteLoaded(_ session: TreeSession) {
    guard session.bytesLoaded > 0 else { return }
    openDatasets.noteLoaded(bytes: session.bytesLoaded, budget: options.nodeCacheBytes)
  }
}
