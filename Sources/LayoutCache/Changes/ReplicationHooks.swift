import LayoutGeometry
package import LayoutStore
import SumTree
import Synchronization

// The hooks for LayoutReplication, all of them: the coordinator that decides on changes in place
// of the file, and the functions by which it resolves, applies and copies. Besides, it uses
// `exportArchive`, `loadArchive` and the rows of the store.

/// An object that decides on the changes of a cache's datasets in place of its file: a node of a
/// cluster, whose file follows a shared log.
///
/// Calls block until the change is in the log and applied in the cache.
///
/// - Throws: All calls throw ``LayoutCacheError``, including `sharedLogUnavailable` and
///   `outcomeUnknown`.
package protocol ChangeCoordinator: AnyObject, Sendable {
  /// Appends a change of a dataset to the log.
  func commit(_ request: ChangeRequest, to dataset: String) throws -> ChangeOutcome

  /// Appends a change of the list of datasets to the log.
  func commit(_ change: CatalogChange) throws

  /// Creates a dataset from an archive's sections and items, at revision 1.
  ///
  /// - Returns: Whether the dataset was created. If the name is taken, the archive is unchanged.
  /// - Throws: `outcomeUnknown` also if the new dataset cannot be applied in the cache.
  func createDataset(_ name: String, of archive: SharedArchive) throws -> Bool

  /// Returns whether a dataset with this name exists.
  func hasDataset(_ name: String) throws -> Bool

  /// Ensures that the cache has a dataset.
  func ensureResident(_ dataset: String) throws

  /// Stores an archive for a dataset. Other nodes do not see it until an entry names it.
  ///
  /// - Parameter write: Writes the archive, in chunks.
  /// - Returns: The archive's number.
  /// - Throws: Also `concurrentModification` if the archive is deleted before it is complete.
  func keepArchive(
    for dataset: String, _ write: (_ chunk: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int64

  /// Deletes an archive unless an entry names it; no later entry can name it. If the deletion
  /// fails, other nodes repeat it later.
  func dropArchive(_ archive: Int64)

  /// Deletes the cache's copy of a dataset and follows the log from the start.
  func rebuild(_ dataset: String) throws
}

/// A change to the list of datasets, or of templates.
package enum CatalogChange: Hashable, Sendable {
  /// The creation of a dataset without sections, at revision 1.
  case create(String)
  /// With a revision, only of a dataset at it.
  case remove(String, expected: Int? = nil)
  case rename(String, to: String, expected: Int? = nil)
  /// - Parameter replacing: The number of the present definition; `nil` if there must be none.
  case setTemplate(TemplateRow, replacing: Int?)
  case removeTemplate(String, number: Int)
}

/// A position in a dataset's shared log. Two nodes at the same position return the same answers.
package struct SharedPosition: Hashable, Sendable {
  /// The dataset's number in the shared log; a dataset that is created again under the same name
  /// has another.
  package var dataset: Int64
  package var sequence: Int
  /// A hash over the dataset's creation and all entries up to this position: diverged histories
  /// have different hashes.
  package var chain: [UInt8]

  package init(dataset: Int64, sequence: Int, chain: [UInt8]) {
    self.dataset = dataset
    self.sequence = sequence
    self.chain = chain
  }

  /// Creates the position of a dataset in a file.
  package init(_ replica: ReplicaRow) {
    self.init(dataset: replica.number, sequence: replica.sequence, chain: replica.chain)
  }
}

/// A change that a shared log contains, to be applied at a position that it determines.
package struct DecidedChange: Sendable {
  package var change: ResolvedChange
  /// The part of the result that a waiting caller wants to see.
  package var viewport: CommitViewport
  /// The time of the change, in milliseconds since 1970.
  package var time: Int64
  /// The request that is recorded with the change; `nil` for none.
  package var request: IdempotentRequest?

  package init(
    _ change: ResolvedChange, _ viewport: CommitViewport, at time: Int64,
    of request: IdempotentRequest?
  ) {
    (self.change, self.viewport, self.time, self.request) = (change, viewport, time, request)
  }
}

extension LayoutCache {
  // MARK: Deciding

  /// Sets the coordinator that decides on all changes of the cache's datasets from now on.
  ///
  /// The cache does not retain it.
  ///
  /// - Precondition: The cache has no coordinator yet, and has made no change.
  package func join(_ coordinator: any ChangeCoordinator) {
    joined.withLock {
      precondition($0.coordinator == nil, "a cache has one coordinator")
      $0.coordinator = coordinator
    }
    isOfNodeIfKnown.withLock { $0 = (true, generation: nil) }
  }

  /// Resolves changes, each on the result of the previous ones. Writes nothing.
  ///
  /// - Parameters:
  ///   - readPosition: Reads the dataset's position in the same transaction.
  ///   - makeLayoutID: Returns a layout ID that the log has never used.
  /// - Returns: The position; the time of the dataset's last change; the resolution of each
  ///   change.
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; the errors of `readPosition`.
  package func resolve(
    _ requests: [ChangeRequest], on dataset: String,
    at readPosition: (StoreReader, _ dataset: Int64) throws -> SharedPosition,
    makeLayoutID: @escaping () throws -> Int64
  ) throws -> (position: SharedPosition, time: Int64, resolutions: [ChangeResolution]) {
    try call { generation in
      // The dataset itself is as in the file if it was: only the caller changes it. Layouts
      // published by others are looked up when a batch names one.
      let isCurrent = requests.allSatisfy(\.isBatch)
      return try reading(
        dataset, generation: generation, usingCurrent: isCurrent
      ) { state, reader in
        let position = try readPosition(reader, state.row.id)
        for request in requests {
          guard case .continueRebalance(let names, _) = request.work else { continue }
          try bring(names, request.viewport.layouts, into: &state, reader)
        }
        let session = TreeSession(reader, edits: state.edits)
        defer { noteLoaded(session) }
        // Whether a request is a repeat follows from the log alone: no node's clock decides on it,
        // and times never go back.
        let time = try reader.logHead(of: state.row.id).time
        var resolver = ChangeResolver(
          state, in: session, at: position, reader, time: time, kinds: customKinds,
          layoutsMax: options.layoutsMax, random: store.options.random, makeLayoutID: makeLayoutID)
        let resolutions = requests.map { resolver.resolve($0) }
        return (position, time, resolutions)
      }
    }
  }

  /// Activates the layouts whose rebalances a commit continues.
  private func bring(
    _ names: [String]?, _ layouts: UpdatedLayouts, into state: inout DatasetState,
    _ reader: StoreReader
  ) throws {
    guard case .upToDate = layouts else { return }
    for row in try reader.layouts(of: state.row.id)
    where names?.contains(where: { $0.isExactly(row.name) }) ?? true {
      _ = try state.bring(row.name, mayLag: true, reader: reader, kinds: customKinds)
    }
  }

  // MARK: Applying

  /// Applies changes, in one transaction. The caller ensures that only one thread at a time does so
  /// for each dataset.
  ///
  /// - Parameters:
  ///   - runs: Changes of different datasets.
  ///   - record: Receives the index of a run and its dataset, and runs `apply` between the check of
  ///     the dataset's position and the storing of the new one.
  /// - Returns: The result of each change, by run.
  /// - Throws: ``ReplicationError`` if a change does not result in its revision;
  ///   ``LayoutCacheError`` with `database`; the errors of `record`. Nothing is applied then.
  package func apply(
    _ runs: [(dataset: String, changes: [DecidedChange])],
    record: (
      _ run: Int, StoreWriter, _ dataset: Int64, _ apply: () throws -> [AppliedChange]
    ) throws -> [AppliedChange]
  ) throws -> [[AppliedChange]] {
    try call { _ in
      try changeAll(runs.map(\.dataset)) { index, change in
        try record(index, change.writer, change.state.row.id) {
          try runs[index].changes.map { decided in
            change.begin(at: decided.time)
            defer { noteLoaded(change.session) }
            if case .batch = decided.change.content {
              try change.activate(decided.viewport.layouts)
            }
            let applied = try apply(decided.change, decided.viewport, to: &change)
            try change.require(decided.change.revision)
            if let request = decided.request {
              try change.remember(request, revision: change.state.revision, answer: nil)
            }
            return applied
          }
        }
      }
    }
  }

  /// Lays out a layout whose beginning the log determines, or lets it follow.
  ///
  /// - Throws: ``ReplicationError`` with `historyNotRecorded` if the log does not contain it,
  ///   `historyDiverged` if the dataset is beyond it.
  package func prepareAsPinned(_ layout: LayoutID) throws {
    do {
      _ = try prepareHere(layout, discardingSpace: nil, ProgressReporter(clock))
    } catch let error as LayoutCacheError {
      // The layout fails on every node, because of the dataset. The next query reports it.
      guard case .cannotLayOut = error.code else { throw error }
    }
  }

  // MARK: Copying

  /// Creates a dataset, or replaces one of the same name in the file, without sections or with
  /// those of an archive, at revision 1.
  ///
  /// - Parameters:
  ///   - archive: The archive, and its next chunk; `nil` after the last.
  ///   - didPut: Stores further rows in the same transaction.
  /// - Throws: ``ReplicationError`` for a damaged archive; ``LayoutCacheError`` with `database`;
  ///   the errors of `next` and `didPut`.
  package func create(
    _ name: String, incarnation: HistoryNumber, at time: Int64,
    from archive: (SharedArchive, next: () throws -> [UInt8]?)?,
    didPut: (StoreWriter, DatasetRow) throws -> Void
  ) throws {
    func put(
      _ trees: DatasetTrees, _ filler: SpaceFiller?, _ spaces: ArchiveSpaces?
    ) throws {
      try store.write { writer in
        if let old = try writer.reader.dataset(named: name) { try writer.delete(old) }
        try spaces?.keep(writer)
        let row = try writer.newDataset(name, in: filler, incarnation: incarnation)
        try self.put(row, trees, at: time, writer)
        try didPut(writer, row)
      } didCommit: {
        drop(name)
      }
    }
    guard let (archive, next) = archive else {
      return try call { _ in
        try put(DatasetTrees(hash: store.hash, shapes: options.treeShapes), nil, nil)
        reclaimAfterCommit()
      }
    }
    try loadItems(of: archive, next) { loaded, spaces in
      try put(loaded.trees, loaded.filler, spaces)
    }
  }

  /// Replaces a dataset's sections and items, with their measured lengths, by an archive's. Its
  /// layouts lose their results and pins.
  ///
  /// The archive is loaded in short transactions, while reads continue with the present data, and
  /// published in one transaction.
  ///
  /// - Parameters:
  ///   - next: The archive's next chunk; `nil` after the last.
  ///   - record: As for ``apply(_:record:)``.
  /// - Throws: ``ReplicationError`` for a damaged archive, or if the dataset is not at `revision`
  ///   then; ``LayoutCacheError`` with `database`; the errors of `next` and `record`.
  ///   Nothing has changed then.
  /// - Complexity: O(items), in constant memory.
  package func replaceItems(
    of dataset: String, with archive: SharedArchive, resultingIn revision: Int, at time: Int64,
    of request: IdempotentRequest?, next: @escaping () throws -> [UInt8]?,
    record: (StoreWriter, _ dataset: Int64, _ apply: () throws -> AppliedChange) throws
      -> AppliedChange
  ) throws -> AppliedChange {
    try loadItems(of: archive, next) { loaded, spaces in
      try change(dataset, isReplaced: true, at: time) { change in
        try record(change.writer, change.state.row.id) {
          try spaces.keep(change.writer)
          try change.replaceItems(
            with: loaded.trees, in: loaded.filler.space, nextNode: loaded.filler.next)
          try change.writer.deletePins(in: change.state.row.id)
          if archive.isReplacement { try change.writer.deleteMarks(of: change.state.row.id) }
          try change.require(revision)
          if let request { try change.remember(request, revision: revision, answer: nil) }
          var applied = AppliedChange(Commit(changingNothingAt: revision, of: change.state.row))
          applied.madeRevision = true
          applied.commit.updates = try LoggedBatch.build().updates()
          return applied
        }
      }
    }
  }

  /// Loads an archive of sections and items into unpublished spaces, which `publish` then assigns
  /// to a dataset.
  private func loadItems<R>(
    of archive: SharedArchive, _ next: @escaping () throws -> [UInt8]?,
    _ publish: (ImportedArchive, ArchiveSpaces) throws -> R
  ) throws -> R {
    try call { _ in
      let spaces = ArchiveSpaces(store, now: clock.now)
      let result: R
      do {
        let loaded = try ImportedArchive(
          into: spaces, of: store, options.treeShapes, sortBytesMax: options.importBytes / 2,
          digest: archive.digest, next: next)
        result = try publish(loaded, spaces)
      } catch {
        // The first error is reported; the space is reclaimed eventually in any case.
        try? spaces.giveBack()
        try? reclaim()
        throw error
      }
      reclaimAfterCommit()
      return result
    }
  }

  // MARK: Reading and writing rows

  /// Reads rows of the file.
  package func readRows<R>(_ body: (StoreReader) throws -> R) throws -> R {
    try mappingErrors(path) { try store.read(body) }
  }

  /// Changes rows of the file that no state in memory has.
  package func writeRows(_ body: (StoreWriter) throws -> Void) throws {
    try call { _ in try store.write(body) }
  }

  /// Returns the pin of a layout if its result has columns that do not follow from the items.
  package func pinOfHistory(of layout: LayoutRow, _ reader: StoreReader) throws -> PinRow? {
    try reader.pinOfHistory(of: layout, kinds: customKinds)
  }

  /// Deletes a dataset from the file only, whether or not the shared log still has it.
  package func forget(_ dataset: String) throws {
    try call { _ in
      guard try store.read({ try exists(dataset, $0) }) else { return }
      try apply(.remove(dataset))
      reclaimAfterCommit()
    }
  }

  /// Renames a dataset in the file to its new name in the shared log.
  package func takeName(_ name: String, from old: String) throws {
    try call { _ in try apply(.rename(old, to: name)) }
  }

  /// Returns the number of bytes used in the file and its write-ahead log.
  package func usedBytes() throws -> Int {
    try mappingErrors(path) { try store.read { try $0.usedBytes() } + store.writeAheadLogBytes() }
  }

  /// Moves the write-ahead log into the file, in one attempt.
  ///
  /// - Returns: Whether the log is empty.
  @discardableResult
  package func emptyWriteAheadLog() throws -> Bool {
    try mappingErrors(path) { try store.emptyWriteAheadLog(attempts: 1) }
  }

  /// Returns whether a dataset's commits have listeners.
  package func isFollowed(_ dataset: String) -> Bool { following.isFollowed(dataset) }
}

extension DatasetChange {
  /// Checks that the dataset is at the revision that a change results in.
  ///
  /// - Throws: ``ReplicationError``.
  fileprivate func require(_ revision: Int) throws {
    if state.revision == revision { return }
    throw ReplicationError.doesNotApply(
      "a change results in revision \(state.revision), not \(revision)")
  }
}
