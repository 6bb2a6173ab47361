import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Store {
  /// Copies one committed state of the database into a new file, which is marked as a copy (see
  /// `CopyMark`). Reads and writes continue in the meantime; the write-ahead log grows by the new
  /// commits.
  ///
  /// The file appears under its name once it is complete and synced to disk. Until then it has
  /// the suffix `-partial`.
  ///
  /// - Parameters:
  ///   - path: The path of the new file.
  ///   - progress: Receives the number of bytes written, and the approximate total. Throwing
  ///     cancels the backup.
  /// - Returns: The copy's size in bytes.
  /// - Throws: ``StoreError``: `exists` if a file exists at the path, or a failure of either
  ///   file; errors of `progress`. The copy is removed then.
  /// - Complexity: O(file), in constant memory.
  package func backup(
    to path: String, progress: (_ bytes: Int, _ total: Int) throws -> Void
  ) throws -> Int {
    try call { _ in
      let copy = try PartialFile(path, asReadableAs: self.path)
      do {
        try copyAll(into: copy, progress)
        try copy.mapped { try CopyMark.mark(fileAt: copy.partialPath) }
        return try copy.publish()
      } catch {
        copy.remove()
        throw error
      }
    }
  }

  private func copyAll(
    into copy: PartialFile, _ progress: (_ bytes: Int, _ total: Int) throws -> Void
  ) throws {
    try StoreError.mapped(path: path, busyTimeout: options.busyTimeout) {
      // A separate connection: copying takes long, and readers are few.
      let db = try Connection.open(
        path, watch.isFixed ? .fixed : .readOnly, watch, busyTimeout: options.busyTimeout)
      try db.reportingReadFailures {
        // The pragma applies to the copy too. A small cache is flushed often, so that progress is
        // visible.
        try db.execute("PRAGMA cache_size = -256")
        let pages = try db.pragma("page_count", as: Int.self) ?? 0
        let freePages = try db.pragma("freelist_count", as: Int.self) ?? 0
        let total = (pages - freePages) * (try db.pragma("page_size") ?? 0)
        do {
          try db.watched(by: { try progress(min(copy.byteCount, total), total) }) {
            try Statement(once: "VACUUM INTO ?", db).run([.text(copy.partialPath)])
          }
        } catch let error as SQLiteError {
          let error = db.told(error)
          if try error.isOfWrittenFile(besides: db) { try copy.mapped { throw error.asUnread } }
          throw error
        }
      }
    }
  }
}

extension SQLiteError {
  /// Returns whether a statement that reads one file and writes another failed because of the
  /// written one.
  ///
  /// - Parameter db: The connection to the file that is read.
  fileprivate func isOfWrittenFile(besides db: Connection) throws -> Bool {
    switch code {
    case SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: true
    case SQLITE_IOERR: extendedCode != Connection.readFailed
    // The written file is read too, and the error does not tell which file it means.
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB:
      try Statement(once: "PRAGMA integrity_check(1)", db).values() == ["ok"]
    default: false
    }
  }

  /// This error, as a read failure of a new file, which cannot be corrupt.
  fileprivate var asUnread: SQLiteError {
    switch code {
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB:
      SQLiteError(Connection.readFailed, message: message)
    default: self
    }
  }
}

/// A new file under a temporary name until it is complete.
private struct PartialFile {
  private let path: String
  let partialPath: String

  /// Creates an empty file.
  ///
  /// - Parameter other: A file whose read and write permissions the new one gets.
  init(_ path: String, asReadableAs other: String) throws {
    self.path = path
    partialPath = path + "-partial"
    var status = stat()
    // A dangling link counts as existing.
    if lstat(path, &status) == 0 { throw StoreError(.exists, path: path) }
    let mode = stat(other, &status) == 0 ? status.st_mode & 0o666 : 0o600
    let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | 0o200)
    guard descriptor >= 0 else {
      throw StoreError(
        .cannotOpen(
          detail: errno == EEXIST
            ? """
            \(partialPath) exists: another backup is running, or one was interrupted; if none \
            is running, remove the file
            """ : String(cString: strerror(errno))),
        path: path)
    }
    close(descriptor)
  }

  /// The bytes written so far.
  var byteCount: Int {
    var status = stat()
    return stat(partialPath, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Runs `body`, and maps SQLite's errors to errors of this file.
  func mapped(_ body: () throws -> Void) throws {
    try StoreError.mapped(path: path, busyTimeout: 0, body)
  }

  /// Gives the file its final name, unless another file has it by now.
  ///
  /// - Returns: The file's size in bytes.
  func publish() throws -> Int {
    try sync(partialPath)
    let byteCount = byteCount
    // Unlike `rename`, `link` replaces no file, but not all file systems support it.
    if link(partialPath, path) == 0 {
      unlink(partialPath)
    } else if errno == EEXIST {
      throw StoreError(.exists, path: path)
    } else if rename(partialPath, path) != 0 {
      throw failure()
    }
    // The copy exists. Not all file systems can sync its name to disk.
    try? sync(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    return byteCount
  }

  /// Removes the partial files, as far as they exist. Failures are ignored.
  func remove() {
    for ending in ["", "-journal", "-wal", "-shm"] { unlink(partialPath + ending) }
  }

  /// Syncs a file, or the names in a folder, to disk.
  private func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw failure() }
  }

  private func failure() -> StoreError {
    StoreError(.inputOutput(detail: String(cString: strerror(errno))), path: path)
  }
}
