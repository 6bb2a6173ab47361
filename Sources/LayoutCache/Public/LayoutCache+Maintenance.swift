import CollectionLayout
import LayoutStore
import Logging

extension LayoutCache {
  /// Checks the file, every node, and every layout against one laid out from scratch, all in
  /// one read transaction.
  ///
  /// Reports errors of SQLite's integrity check; nodes that are missing, have a wrong checksum,
  /// or contradict their parents; nodes without an owner; missing and superfluous keys in the
  /// indexes; wrong counts; and, in a layout that is up to date, every length, column and
  /// position that differs from a layout from scratch.
  ///
  /// - Parameter name: The dataset to check; `nil` for all of them and the file as a whole.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, and `database` if the file can't be read
  ///   at all. Damage is reported, not thrown.
  /// - Complexity: Reads the whole file; O(items · columns) for each layout, in constant memory.
  public func verify(dataset name: String? = nil) throws -> VerificationReport {
    try mappingErrors(path) {
      try store.read { reader in
        var verification = Verification(
          reader: reader, kinds: customKinds, shapes: options.treeShapes)
        if let name {
          try verification.check(reader.requireDataset(name))
        } else {
          try verification.checkFile()
        }
        return verification.report
      }
    }
  }

  /// Writes the changes that are only in the log to the trees, for every dataset that this
  /// process has changed.
  ///
  /// Happens automatically when the log has grown long, and at ``close()``; a service may call
  /// it when idle.
  ///
  /// - Throws: ``LayoutCacheError`` with `database`; nothing is lost then.
  /// - Complexity: O(nodes changed since the last checkpoint).
  public func checkpoint() throws {
    try call { _ in
      for dataset in openDatasets.uncheckpointed() { try checkpoint(dataset) }
      try reclaim()
    }
  }

  private func checkpoint(_ dataset: String) throws {
    do {
      try change(dataset) { change in
        // Another process may have checkpointed the dataset.
        if change.state.hasOwnCommits {
          try change.state.checkpoint(change.writer, at: change.now)
        }
      }
    } catch let error as LayoutCacheError {
      // Another process has removed or renamed the dataset: the next process that opens it
      // replays the log.
      guard case .noSuchDataset = error.code else { throw error }
      drop(dataset)
    }
  }

  /// Copies the database into a new file, without blocking readers or writers.
  ///
  ///     try cache.backup(to: "feeds-2026-11-22.sqlite")
  ///
  /// The copy holds one committed state, is as compact as possible, and is a complete database,
  /// which can be read as it is; ``restore(from:to:progress:)`` puts it in place. Its answers have
  /// other incarnations, and the first change gives its datasets and results new ones, once,
  /// because their histories diverge from there. Marks and idempotency keys are preserved.
  ///
  /// While it is incomplete, the file has the suffix `-partial`. A killed process leaves that
  /// file, and later attempts fail until it is removed.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - progress: Called with the number of bytes written and the estimated total. Cancels the
  ///     copy by throwing.
  /// - Returns: The size of the copy in bytes.
  /// - Throws: ``LayoutCacheError`` with `database`, of category `usage` if a file exists at
  ///   the path; errors from `progress`. The incomplete copy is deleted.
  /// - Complexity: O(file), in constant memory. The write-ahead log can't be truncated in the
  ///   meantime, so `progress` should not block.
  @discardableResult
  public func backup(
    to path: String, progress: (_ bytes: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Int {
    try mappingErrors(path) { try store.backup(to: path, progress: progress) }
  }

  /// Puts a copy of a database in place of another that no process has open, or where there is
  /// none.
  ///
  ///     try LayoutCache.restore(from: "feeds-2026-11-22.sqlite", to: "feeds.sqlite")
  ///
  /// The copy has the state of a backup: see ``backup(to:progress:)``. A killed process leaves the
  /// previous database or the new one. Do not replace a database by other means: its write-ahead
  /// log may remain, and the file then cannot be opened.
  ///
  /// - Parameters:
  ///   - backup: A backup, or any other database, with its `-wal` file if there is one. It is not
  ///     changed.
  ///   - path: The database to replace. If it cannot be opened, it and its log are renamed to
  ///     `PATH.damaged-TIME`, with the time in seconds since 1970.
  ///   - progress: As for ``backup(to:progress:)``.
  /// - Returns: The size of the new file in bytes.
  /// - Throws: ``LayoutCacheError`` with `database`, of category `busy` if a process, or a cache of
  ///   this one, has the database open, and of category `usage` if both are the same file; errors
  ///   from `progress`. The database is then unchanged, unless the message says that the change may
  ///   be stored.
  /// - Complexity: O(file), in constant memory.
  @discardableResult
  public static func restore(
    from backup: String, to path: String,
    progress: (_ bytes: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Int {
    try mappingErrors(path) {
      try Store.restore(from: backup, to: path, StoreOptions(), progress: progress)
    }
  }

  /// Returns all unused space to the file system, in short transactions: other writers do not
  /// wait for long.
  ///
  /// - Returns: The number of bytes by which the file shrank.
  /// - Throws: ``LayoutCacheError`` with `database`; nothing is lost then.
  /// - Complexity: O(file).
  @discardableResult
  public func compact() throws -> Int {
    try call { _ in
      let before = try store.read { try $0.fileBytes() }
      try checkpoint()
      try reclaim(sparing: .none)
      try store.emptyWriteAheadLog()
      return before - (try store.read { try $0.fileBytes() })
    }
  }

  /// Releases unused space after a call has committed its change. A failure is logged only,
  /// because the change is committed: a later call or another process releases the space.
  func reclaimAfterCommit() {
    tryingCleanup { try reclaim() }
  }

  /// Releases an abandoned space; as with ``reclaimAfterCommit()``, a failure is logged.
  func discard(_ space: NodeSpace) {
    tryingCleanup { try giveBack(space) }
  }

  private func tryingCleanup(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      logger.warning(
        "releasing unused space failed; a later change retries",
        metadata: ["error": .string("\(error)")])
    }
  }

  /// Releases an abandoned space.
  func giveBack(_ space: NodeSpace) throws {
    try store.write { try $0.giveBack(.nodes(space)) }
    try reclaim()
  }

  /// Deletes garbage in short transactions.
  ///
  /// Called after every change that creates garbage. Also deletes garbage left by a killed process.
  ///
  /// - Parameter spare: The number of free pages to retain in the file.
  func reclaim(sparing spare: FreePages = .some) throws {
    // The mark of a copy goes with its first change, which this is not.
    if store.isMarkedCopy { return }
    func silence() -> Int64 { clock.now() - Budgets.fillingSilence }
    // This check reads only, so it takes no write lock.
    var mayHaveMore = try store.read { try $0.canReclaim(sparing: spare, silentSince: silence()) }
    while mayHaveMore {
      mayHaveMore = try store.write { writer in
        try writer.reclaim(
          rows: Budgets.reclaimedRows, pages: Budgets.reclaimedPages, sparing: spare,
          silentSince: silence())
      }
      if mayHaveMore { store.letOthersWrite() }
    }
  }
}
