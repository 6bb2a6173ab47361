import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Store {
  /// Copies one committed state of the database into a new file, which is marked as a copy
  /// (see `CopyMark`). Others read and write in the meantime; the write-ahead log grows by what
  /// they commit.
  ///
  /// The file has its name from the moment on when it is whole and on the disk; until then it
  /// is called as that with `-partial` after it.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - progress: Takes how many bytes have been written, and about how many there will be.
  ///     Ends the copying by throwing.
  /// - Returns: The copy's size in bytes.
  /// - Throws: ``StoreError``: `exists` where there is something at the path; what went wrong
  ///   with either file; what `progress` throws. Nothing is left of the copy then.
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
      // One of its own: the copying takes long, and readers are few.
      let db = try Connection.open(path, .readOnly, watch, busyTimeout: options.busyTimeout)
      try db.tellingReadFailures {
        // The copy's too, which is written when that is full: so it is seen to grow.
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
  /// Whether a statement that reads one file and writes another has failed with the latter.
  ///
  /// - Parameter db: The connection to the former.
  fileprivate func isOfWrittenFile(besides db: Connection) throws -> Bool {
    switch code {
    case SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: true
    case SQLITE_IOERR: extendedCode != Connection.readFailed
    // What is written is read too. Whose pages are meant is not told.
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB:
      try Statement(once: "PRAGMA integrity_check(1)", db).values() == ["ok"]
    default: false
    }
  }

  /// The error where a file that is being made can't be read: it has nothing to be damaged.
  fileprivate var asUnread: SQLiteError {
    switch code {
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB:
      SQLiteError(Connection.readFailed, message: message)
    default: self
    }
  }
}

/// A new file under its own name until it is whole.
private struct PartialFile {
  private let path: String
  let partialPath: String

  /// Makes the file, empty.
  ///
  /// - Parameter other: A file that may be read by those who may read this one.
  init(_ path: String, asReadableAs other: String) throws {
    self.path = path
    partialPath = path + "-partial"
    var status = stat()
    // A link that leads nowhere is something too.
    if lstat(path, &status) == 0 { throw StoreError(.exists, path: path) }
    let mode = stat(other, &status) == 0 ? status.st_mode & 0o666 : 0o600
    let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | 0o200)
    guard descriptor >= 0 else {
      throw StoreError(
        .cannotOpen(
          detail: errno == EEXIST
            ? """
            \(partialPath) is there: another backup is writing it, or one was killed; in that \
            case remove it
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

  /// Runs `body` with SQLite's errors as those of this file.
  func mapped(_ body: () throws -> Void) throws {
    try StoreError.mapped(path: path, busyTimeout: 0, body)
  }

  /// Gives the file its name, unless something else has that by now.
  ///
  /// - Returns: Its size in bytes.
  func publish() throws -> Int {
    try sync(partialPath)
    let byteCount = byteCount
    // Other than a renaming it displaces nothing; not all file systems have it.
    if link(partialPath, path) == 0 {
      unlink(partialPath)
    } else if errno == EEXIST {
      throw StoreError(.exists, path: path)
    } else if rename(partialPath, path) != 0 {
      throw failure()
    }
    // The copy is there. Not all file systems can say that its name is on the disk.
    try? sync(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    return byteCount
  }

  /// Removes what there is of it; there may be nothing, or nothing to be done about it.
  func remove() {
    for ending in ["", "-journal", "-wal", "-shm"] { unlink(partialPath + ending) }
  }

  /// Waits until a file, or a folder's names, are on the disk.
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
