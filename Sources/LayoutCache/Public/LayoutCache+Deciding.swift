import LayoutStore
import Synchronization

// The door that changes go through.

extension LayoutCache {
  /// Changes a dataset where that is decided on: in a shared log, if there is one, else here.
  ///
  /// - Throws: ``LayoutCacheError`` with `belongsToNode` where the file is a node's and this
  ///   cache is none.
  func decided<R>(_ elsewhere: (any SharedLog) throws -> R, here: () throws -> R) throws -> R {
    if let log = try decider() { return try elsewhere(log) }
    return try here()
  }

  /// The shared log that decides on changes; `nil` where they are decided on here.
  ///
  /// - Throws: As ``decided(_:here:)``.
  func decider() throws -> (any SharedLog)? {
    if let log = sharedLog.withLock({ $0.log }) { return log }
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
          var change = DatasetChange(
            state, writer, at: time ?? clock.now(), kinds: customKinds, logger: logger)
          let result = try body(&change)
          return (result, change.state, generation)
        } didCommit: { _, state, generation in
          // Before the next writer looks for the state.
          openDatasets.takeCommitted(state, generation: generation)
          following.didCommit(to: state.row.name)
        }.result
      } catch {
        // Nodes that the state before shares have ids that the file does not know.
        if hasWrittenNodes { drop(dataset) }
        throw error
      }
    }
  }
}
