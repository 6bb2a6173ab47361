import CollectionLayout
import LayoutStore
import SumTree

// Batches that require a pass over their dataset are resolved on a snapshot, and commit only if
// the dataset is still at its revision; after three such attempts in their transaction.

extension LayoutCache {
  /// Runs `commit` with a change, and again with its resolution if it requires one.
  ///
  /// So `commit` checks for repeats and the expected revision before the pass.
  ///
  /// - Throws: The errors of `commit`.
  func resolvingFirst<R>(
    _ request: ChangeRequest, in dataset: String, _ commit: (ChangeRequest) throws -> R
  ) throws -> R {
    guard request.takesPass else { return try commit(request) }
    var request = request
    for _ in 0..<Budgets.resolutionAttempts {
      do {
        return try commit(request)
      } catch let error as LayoutCacheError {
        guard case .concurrentModification = error.code else { throw error }
      }
      request.resolution = try onSnapshot(of: dataset) { state, reader, session in
        var resolution = try BatchResolution(on: state, reader)
        if case .append(let items) = request.work {
          resolution.batch = try items.resolve(
            on: state.trees, at: state.revision, in: session
          ).batch
        } else {
          var resolver = OperationResolver(
            state.trees, of: state.row, reader, kinds: customKinds, in: session)
          try resolver.apply(request.operations)
          resolution.batch = resolver.loggedBatch
        }
        return resolution
      }
    }
    request.resolution = nil
    request.mayPassInTransaction = true
    return try commit(request)
  }

  /// Runs `body` on the present state of a dataset, without the write lock.
  func onSnapshot<R>(
    of dataset: String, _ body: (DatasetState, StoreReader, TreeSession) throws -> R
  ) throws -> R {
    try coordinator()?.catchUp(with: dataset)
    return try mappingErrors(path) {
      try store.readLong { reader in
        let state = try current(dataset, reader: reader)
        let session = passSession(over: state, reader)
        defer { noteLoaded(session) }
        return try body(state, reader, session)
      }
    }
  }

  /// Creates a session for a pass over a whole dataset, which retains the nodes in memory if the
  /// budget allows.
  func passSession(over state: DatasetState, _ nodes: any NodeSource) -> TreeSession {
    TreeSession(
      nodes, keepsNodes: state.trees.items.count < options.nodeCacheBytes / Budgets.itemBytes)
  }
}

extension OperationResolver {
  /// Creates a resolver of operations on a dataset.
  init(
    _ trees: DatasetTrees, of row: DatasetRow, _ reader: StoreReader, kinds: CustomKinds,
    in session: TreeSession
  ) {
    self.init(trees, in: session) { name in
      try reader.layoutOrVariant(named: name, of: row)
        .map { try NamedLayout($0, reader, kinds: kinds) }
    } hasLayout: {
      try reader.hasLayout(id: $0)
    }
  }
}

extension NamedLayout {
  fileprivate init(_ row: LayoutRow, _ reader: StoreReader, kinds: CustomKinds) throws {
    self.init(
      id: row.id,
      configuration: { try row.decodedConfiguration(path: reader.path, kinds: kinds) },
      plan: { try row.plan(of: row.configuration, reader, kinds: kinds) })
    if try row.responsiveConfiguration(path: reader.path) != nil {
      variants = { try reader.variants(of: row).map { try NamedLayout($0, reader, kinds: kinds) } }
    }
  }
}
