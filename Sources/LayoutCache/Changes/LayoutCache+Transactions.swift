import LayoutStore
import Synchronization

// Transactions of the file, and who decides on them.

extension LayoutCache {
  /// The coordinator that decides on changes; `nil` on a single machine, where the file does.
  ///
  /// - Throws: ``LayoutCacheError`` with `belongsToNode` where the file is a node's and this
  ///   cache is none.
  func coordinator() throws -> (any ChangeCoordinator)? {
    if let coordinator = joined.withLock({ $0.coordinator }) { return coordinator }
    if try isOfNode() { throw LayoutCacheError(.belongsToNode(path: path)) }
    return nil
  }

  /// Whether the file is a node's. That is looked up once.
  private func isOfNode() throws -> Bool {
    if let known = isOfNodeIfKnown.withLock({ $0 }) { return known }
    let isOfNode = try store.read { try $0.hasReplicas() }
    isOfNodeIfKnown.withLock { $0 = isOfNode }
    return isOfNode
  }

  /// Runs a change that one transaction publishes and that cannot fail later, so that an error of
  /// the file can tell that nothing was changed.
  func allOrNothing<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      let own = error as? LayoutCacheError ?? LayoutCacheError(mapping: error, path: path)
      throw own?.changingNothing ?? error
    }
  }

  /// Runs a change that completes others which are already committed: its errors do not say that
  /// nothing was changed.
  func afterCommit<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as LayoutCacheError {
      throw error.afterCommit
    }
  }

  /// Lets go of what is in memory of a dataset: it is of no more use.
  func drop(_ dataset: String) {
    openDatasets.drop(dataset)
    following.didDrop(dataset)
  }

  /// Runs `body` in a transaction on the present state of a dataset, and takes over
  /// what it has made of it once that is committed.
  ///
  /// - Parameters:
  ///   - isReplaced: Whether `body` puts another dataset in place of this one; it is then
  ///     given one without items, and the log need not be readable.
  ///   - time: When the change is made, in milliseconds since 1970; `nil` for now.
  func change<R>(
    _ dataset: String, isReplaced: Bool = false, at time: Int64? = nil,
    _ body: (inout DatasetChange) throws -> R
  ) throws -> R {
    try changeAll([dataset], isReplaced: isReplaced, at: time) { _, change in
      try body(&change)
    }[0]
  }

  /// Runs `body` on the present state of each of some datasets, in one transaction, and takes
  /// over what it has made of them once that is committed: all of it or none.
  ///
  /// - Parameters:
  ///   - datasets: Different ones.
  ///   - body: Takes the dataset's index too.
  /// - Returns: What `body` has returned for each.
  func changeAll<R>(
    _ datasets: [String], isReplaced: Bool = false, at time: Int64? = nil,
    _ body: (Int, inout DatasetChange) throws -> R
  ) throws -> [R] {
    try mappingErrors(path) {
      var hasWrittenNodes = false
      do {
        return try store.write { writer -> (results: [R], states: [DatasetState], Int) in
          defer { hasWrittenNodes = writer.hasWrittenNodes }
          let generation = store.foreignGeneration()
          var (results, states): ([R], [DatasetState]) = ([], [])
          for (index, dataset) in datasets.enumerated() {
            let state =
              isReplaced
              ? try DatasetState.beforeReplacing(
                dataset, reader: writer.reader, shapes: options.treeShapes)
              : try present(dataset, generation: generation, writer.reader)
            var change = DatasetChange(
              state, writer, at: time ?? clock.now(), kinds: customKinds, logger: logger)
            results.append(try body(index, &change))
            states.append(change.state)
          }
          return (results, states, generation)
        } didCommit: { _, states, generation in
          // Before the next writer looks for the states.
          for state in states {
            openDatasets.takeCommitted(state, generation: generation)
            following.didCommit(to: state.row.name)
          }
        }.results
      } catch {
        // Nodes that the states before share have ids that the file does not know.
        if hasWrittenNodes { datasets.forEach(drop) }
        throw error
      }
    }
  }

  /// The state of a dataset, for whoever writes: it changes no more.
  private func present(
    _ dataset: String, generation: Int, _ reader: StoreReader
  ) throws -> DatasetState {
    let known = openDatasets.known(dataset)
    if known.generation == generation, let present = known.state { return present }
    return try current(dataset, known: known.state, reader: reader)
  }
}
