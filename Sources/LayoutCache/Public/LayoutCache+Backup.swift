import LayoutStore

extension LayoutCache {
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
  ///   from `progress`. The database is then unchanged.
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
}
