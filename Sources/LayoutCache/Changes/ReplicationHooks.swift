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

  /// Brings the cache's copy of a dataset, or its templates, to the end of the log.
  func catchUp(with dataset: String?) throws

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
    (self.dataset, self.sequence, self.chain) = (dataset, sequence, chain)
  }

  /// Creates the position of a dataset in a file.
  package init(_ replica: ReplicaRow) {
    self.init(dataset: replica.number, sequence: replica.sequence, chain: replica.chain)
  }
}

/// The outcome of a request, the same on every node; or the reason of its rejection.
package typealias DecidedOutcome = Result<ChangeOutcome, LayoutCacheError>

/// A request that every node can decide, or the outcome of one without an effect.
package enum LocalizedRequest: Sendable {
  case request(ChangeRequest)
  case settled(ChangeOutcome)
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

  /// Replaces what a request takes from this node alone, by resolving it on the node's state of the
  /// dataset. The result is valid as long as the dataset is at that state. Writes nothing.
  ///
  /// - Throws: ``LayoutCacheError``, also `concurrentModification` if the request needs a pass over
  ///   the dataset first; the errors of the request's requirement.
  package func localized(
    _ request: ChangeRequest, on dataset: String
  ) throws -> LocalizedRequest {
    try call { generation in
      try reading(dataset, generation: generation) { state, reader in
        if case .continueRebalance(let names, _) = request.work {
          try bring(names, request.viewport.layouts, into: &state, reader)
        }
        let session = TreeSession(reader, edits: state.edits)
        defer { noteLoaded(session) }
        var resolver = ChangeResolver(
          request, on: state, in: session, reader, time: nil, kinds: customKinds,
          // The request that all nodes decide has another ID.
          layoutsMax: options.layoutsMax, makeLayoutID: { 0 })
        switch try resolver.resolve() {
        case .settled(let outcome): return .settled(outcome)
        case .change(let change):
          return .request(try request.localized(as: change, on: state, reader))
        }
      }
    }
  }

  /// Returns the values of a request that all nodes use. `layout` is new in the log.
  package func chosenValues(layout: Int64) -> ChosenValues {
    ChosenValues(
      layoutsMax: options.layoutsMax, layout: layout,
      incarnation: store.options.random.incarnation().rawValue)
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

  /// Decides requests, each on the result of the previous ones, and applies them, in one transaction.
  /// The caller ensures that only one thread at a time does so for each dataset.
  ///
  /// - Parameters:
  ///   - runs: Requests of different datasets, with their times in milliseconds since 1970.
  ///   - record: Receives the index of a run and its dataset, and runs `decide` between the check of
  ///     the dataset's position and the storing of the new one.
  /// - Returns: The outcome of each request, by run: rejections are outcomes too.
  /// - Throws: ``LayoutCacheError`` with `database`; the errors of `record`. Nothing is applied then.
  package func decide(
    _ runs: [(dataset: String, requests: [(request: ChangeRequest, time: Int64)])],
    record: (
      _ run: Int, StoreWriter, _ dataset: Int64, _ decide: () throws -> [DecidedOutcome]
    ) throws -> [DecidedOutcome]
  ) throws -> [[DecidedOutcome]] {
    try call { _ in
      try changeAll(runs.map(\.dataset)) { index, change in
        try record(index, change.writer, change.state.row.id) {
          try runs[index].requests.map { logged in
            try outcome(
              of: QueuedChange(dataset: runs[index].dataset, request: logged.request),
              at: logged.time, isLogged: true, in: &change)
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
  ///   - time: The time of the request, in milliseconds since 1970.
  ///   - record: As for ``decide(_:record:)``.
  /// - Throws: ``ReplicationError`` for a damaged archive; ``LayoutCacheError`` with `database`; the
  ///   errors of `next` and `record`. Nothing has changed then.
  /// - Complexity: O(items), in constant memory.
  package func replaceItems(
    of dataset: String, with archive: SharedArchive, at time: Int64,
    next: @escaping () throws -> [UInt8]?,
    record: (StoreWriter, _ dataset: Int64, _ apply: () throws -> AppliedChange) throws
      -> AppliedChange
  ) throws -> AppliedChange {
    try loadItems(of: archive, next) { loaded, spaces in
      let last = try readRows { try $0.logHead(of: $0.requireDataset(dataset).id).time }
      return try change(dataset, isReplaced: archive.isReplacement, at: max(last, time)) { change in
        try record(change.writer, change.state.row.id) {
          try spaces.keep(change.writer)
          try change.replaceItems(
            with: loaded.trees, in: loaded.filler.space, nextNode: loaded.filler.next)
          try change.writer.deletePins(in: change.state.row.id)
          if archive.isReplacement { try change.writer.deleteMarks(of: change.state.row.id) }
          var applied = AppliedChange(
            Commit(changingNothingAt: change.state.revision, of: change.state.row))
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

extension ChangeRequest {
  /// Returns the request as every node can decide it, while the dataset is at a state.
  ///
  /// - Parameter change: The request as resolved on the state.
  fileprivate func localized(
    as change: ResolvedChange, on state: DatasetState, _ reader: StoreReader
  ) throws -> ChangeRequest {
    var localized = self
    localized.mayPassInTransaction = false
    switch change.content {
    case .batch(let batch, _):
      localized.work = .batch(operations)
      var resolution = try BatchResolution(on: state, reader)
      if change.revision > state.revision { resolution.batch = batch }
      resolution.undone = change.undone
      localized.resolution = resolution
    case .definition, .pin:
      switch work {
      case .setLayout(let name, let configuration, _):
        localized.work = .setLayout(name, configuration: configuration)
        localized.checked = try reader.layout(named: name, of: state.row.id).checkedText
      case .removeLayout(let name, _):
        localized.work = .removeLayout(name)
        localized.checked = try reader.layout(named: name, of: state.row.id).checkedText
      default: break
      }
    }
    return localized
  }
}
