import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The database's file below SQLite's pager: its state on disk, whatever the write-ahead log
// contains.
//
// Source: https://sqlite.org/c3ref/io_methods.html; https://sqlite.org/fileformat.html, section 1.3
// (the header's fields).

/// The fields of a database file's header that distinguish databases.
struct FileHeader: Hashable, Sendable {
  /// `PRAGMA user_version`; see `FileNumber`.
  var number: FileNumber
  /// SQLite's change counter, which never decreases within a database.
  var changeCounter: UInt32
  /// `PRAGMA schema_version`, which changes with the schema, and which `VACUUM INTO` and SQLite's
  /// backups raise in the copy.
  var schemaVersion: UInt32
}

extension Connection {
  /// The absolute path of the file, without symbolic links, to which SQLite adds `-wal` and
  /// `-shm`.
  var filePath: String? { sqlite3_db_filename(handle, "main").map { String(cString: $0) } }

  /// Whether SQLite could open the file for reading only.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether the path leads to another file than the open one, or to none.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code == SQLITE_OK && hasMoved != 0
  }

  /// The file's header, or the reason why there is none.
  enum StoredHeader {
    case header(FileHeader)
    /// The file is shorter than a header, or does not begin like a database.
    case none
    /// The system failed to read it.
    case unreadable
  }

  /// Reads the file's header from the disk; one system call.
  func storedHeader() -> StoredHeader {
    var bytes = [UInt8](repeating: 0, count: 100)
    guard let file = file(SQLITE_FCNTL_FILE_POINTER),
      let read = file.pointee.pMethods?.pointee.xRead
    else { return .unreadable }
    switch read(file, &bytes, Int32(bytes.count), 0) {
    case SQLITE_OK: break
    case SQLITE_IOERR | 2 << 8: return .none  // SQLITE_IOERR_SHORT_READ
    default:
      // So that SQLite's next failure is not attributed to this one.
      _ = takeReadFailure()
      return .unreadable
    }
    guard bytes.starts(with: Array("SQLite format 3\0".utf8)) else { return .none }
    func number(at offset: Int) -> UInt32 {
      bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    return .header(
      FileHeader(
        number: FileNumber(rawValue: number(at: 60)), changeCounter: number(at: 24),
        schemaVersion: number(at: 40)))
  }

  /// Locks the file exclusively against all connections of all processes, if none has it open in
  /// WAL mode or reads it.
  ///
  /// - Returns: Whether the file is locked. SQLite does not know of the lock: close the
  ///   connection next, or call ``unlockFile()``.
  func lockFile() -> Bool {
    guard let file = file(SQLITE_FCNTL_FILE_POINTER), let methods = file.pointee.pMethods?.pointee,
      let lock = methods.xLock
    else { return false }
    return lock(file, SQLITE_LOCK_SHARED) == SQLITE_OK
      && lock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK
  }

  /// Releases the lock of ``lockFile()``, also if that failed.
  func unlockFile() {
    guard let file = file(SQLITE_FCNTL_FILE_POINTER) else { return }
    _ = file.pointee.pMethods?.pointee.xUnlock?(file, SQLITE_LOCK_NONE)
  }

  /// Sets whether the connection leaves the write-ahead log as it is on closing.
  func keepLogOnClose(_ keeps: Bool = true) {
    _ = layoutcache_keep_log_on_close(handle, keeps ? 1 : 0)
  }
}
