import LayoutStore
import Synchronization

// Transactions of the file, and the coordinator that decides on them.

extension LayoutCache {
  /// Returns the coordinator that decides on changes; `nil` on a single machine, where the file
  /// decides.
  ///
  /// - Throws: ``LayoutCacheError`` with `belongsToNode` if the file belongs to a node and this
  ///   cache is not a node.
  func coordinator() throws -> (any ChangeCoordinator)? {
    if let coordinator = joined.withLock({ $0.coordinator }) { return coordinator }
    if try isOfNode() { throw LayoutCacheError(.belongsToNode(path: path)) }
    return nil
  }

  /// Returns whether the file belongs to a node. The result is cached until another process, which
  /// may be a node, commits.
  private func isOfNode() throws -> Bool {
    let generation = store.foreignGeneration()
    if let known = isOfNodeIfKnown.withLock({ $0 }), known.generation ?? generation == generation {
      return known.isOfNode
    }
    let isOfNode = try store.read { try $0.hasReplicas() }
    // With another database copied over the file, the rows are not those of this one.
    if isOfNode { try store.checkFile() }
    isOfNodeIfKnown.withLock { $0 = (isOfNode, generation) }
    return isOfNode
  }

  /// Runs a change that one transaction publishes and that cannot fail later, so that a file
  /// error can state that nothing has changed.
  func allOrNothing<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      throw LayoutCacheError(mapping: error, path: path)?.changingNothing ?? error
    }
  }

  /// Runs a change that completes already committed ones: its errors do not state that nothing
  /// has changed.
  func afterCommit<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as LayoutCacheError {
      throw error.afterCommit
    }
  }

  /// Discards the state of a dataset in memory, which is no longer valid.
  func drop(_ dataset: String) {
    openDatasets.forget(dataset)
    variants.forgetNames()
    following.didCommit(to: dataset)
  }

  /// Runs `body` in a transaction on the present state of a dataset, and adopts the resulting
  /// state after the commit.
  ///
  /// - Parameters:
  ///   - isReplaced: Whether `body` replaces the whole dataset; it then receives a state without
  ///     items, and the log need not be readable.
  ///   - isRepeatable: Whether `body` can be run again on a state that is read from the file, after
  ///     it has written nodes.
  ///   - time: The time of the change, in milliseconds since 1970; `nil` for now.
  func change<R>(
    _ dataset: String, isReplaced: Bool = false, isRepeatable: Bool = false,
    at time: Int64? = nil, _ body: (inout DatasetChange) throws -> R
  ) throws -> R {
    try changeAll(
      [dataset], isReplaced: isReplaced, isRepeatable: isRepeatable, at: time
    ) { _, change in
      try body(&change)
    }[0]
  }

  /// Runs `body` on the present state of each dataset in one transaction, and adopts the
  /// resulting states after the commit: all or none.
  ///
  /// - Parameters:
  ///   - datasets: The names, without duplicates.
  ///   - body: Also receives the dataset's index.
  ///   - onMissing: Returns the result for a dataset that cannot be opened, or throws the error.
  /// - Returns: The result for each dataset.
  func changeAll<R>(
    _ datasets: [String], isReplaced: Bool = false, isRepeatable: Bool = false,
    at time: Int64? = nil, _ body: (Int, inout DatasetChange) throws -> R,
    onMissing: (Int, any Error) throws -> R = { throw $1 }
  ) throws -> [R] {
    try mappingErrors(path) {
      var (hasWrittenNodes, changesLayouts) = (false, false)
      let dropStates = { datasets.forEach(self.drop) }
      do {
        return try store.write(dropNodes: isRepeatable ? dropStates : nil) {
          writer -> (results: [R], states: [DatasetState], Int) in
          defer { hasWrittenNodes = writer.hasWrittenNodes }
          let generation = store.foreignGeneration()
          var (results, states): ([R], [DatasetState]) = ([], [])
          for (index, dataset) in datasets.enumerated() {
            var change: DatasetChange
            do {
              change = try begin(
                dataset, isReplaced: isReplaced, writer, generation, at: time ?? clock.now())
            } catch {
              results.append(try onMissing(index, error))
              continue
            }
            results.append(try body(index, &change))
            states.append(change.state)
            changesLayouts = changesLayouts || change.changesLayouts
          }
          return (results, states, generation)
        } didCommit: { _, states, generation in
          // Must happen before the next writer looks up the states.
          for state in states {
            openDatasets.commit(state, generation: generation)
            following.didCommit(to: state.row.name)
          }
          if changesLayouts { variants.forgetNames() }
        }.results
      } catch {
        // Nodes shared with the earlier states have IDs that the file does not know; or the
        // states are not those of the file.
        if hasWrittenNodes || (error as? StoreError)?.isCorrupt == true { dropStates() }
        throw error
      }
    }
  }

  /// Begins a change of a dataset inside a write transaction, where no other one can change it.
  private func begin(
    _ dataset: String, isReplaced: Bool, _ writer: StoreWriter, _ generation: Int, at now: Int64
  ) throws -> DatasetChange {
    try openDatasets.withDataset(dataset) { owner in
      let reading = OpenDataset.Reading(owner, generation: generation)
      let state =
        try isReplaced
        ? .beforeReplacing(dataset, reader: writer.reader, shapes: options.treeShapes)
        : reading.current ?? current(dataset, known: reading.known, reader: writer.reader)
      let followed = following.layouts(of: dataset)
      return DatasetChange(state, writer, at: now, kinds: customKinds, logger: logger) {
        owner.isRequested($0) || followed[ExactKey($0)] != nil
      }
    }
  }
}
