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
    _ dataset: String, with operations: [Operation], visible: Rect? = nil,
    bringing layouts: UpdatedLayouts = .inUse
  ) throws -> Commit {
    try change(dataset) { writer, state in
      try bringIntoUse(layouts, of: &state, reader: writer.reader)
      let old = visible == nil ? nil : state
      let nodes = TreeReader(writer.reader)
      defer { noteLoaded(nodes) }
      var resolver = OperationResolver(state.trees, edits: state.edits, reader: nodes) {
        [id = state.row.id] name in try writer.reader.layout(named: name, of: id)?.id
      }
      try resolver.apply(operations)
      let batch = LoggedBatch(operations: resolver.resolved)
      if batch.operations.isEmpty { return Commit(revision: state.revision, layouts: []) }
      state.trees = resolver.trees
      state.edits = resolver.edits
      var changes = try commit(batch, to: &state, writer: writer, nodes: nodes)
      if let visible, let old {
        for index in changes.indices {
          try adjustOffset(&changes[index], visible: visible, from: old, to: state)
        }
      }
      return Commit(revision: state.revision, layouts: changes)
    }
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
      for dataset in residents.uncheckpointed() {
        try change(dataset) { writer, state in
          // Another process may have seen to it.
          if state.hasOwnCommits { try state.checkpoint(writer) }
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
    _ body: (StoreWriter, inout DatasetState) throws -> R
  ) throws -> R {
    try classified(path) {
      var hasWrittenNodes = false
      do {
        return try store.write { writer -> (result: R, state: DatasetState, generation: Int) in
          defer { hasWrittenNodes = writer.hasWrittenNodes }
          let generation = store.foreignGeneration()
          var known = residents.known(dataset)
          var state: DatasetState
          if isReplaced {
            state = try DatasetState.beforeReplacing(dataset, reader: writer.reader)
          } else if known.generation == generation, let present = known.state.take() {
            state = present
          } else {
            state = try DatasetState.current(
              dataset, known: known.state, reader: writer.reader, kinds: customKinds)
          }
          let result = try body(writer, &state)
          return (result, state, generation)
        } didCommit: { _, state, generation in
          // Before the next writer looks for the state.
          residents.takeCommitted(state, generation: generation)
        }.result
      } catch {
        // Nodes that the state before shares have ids that the file does not know.
        if hasWrittenNodes { residents.drop(dataset) }
        throw error
      }
    }
  }

  func noteLoaded(_ nodes: TreeReader) {
    guard nodes.bytesLoaded > 0 else { return }
    residents.noteLoaded(bytes: nodes.bytesLoaded, budget: options.nodeCacheBytes)
  }
}
