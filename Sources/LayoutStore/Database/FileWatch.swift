import LayoutCacheSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The identity of a file in the file system.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// - Returns: `nil` if there is no file visible to this process.
  init?(at path: String) {
    var status = stat()
    // An implicit conversion would copy the path.
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}

/// Detects whether a store's open file is still the database at its path.
///
/// A deleted, moved or replaced file has another device or inode than the file at the path. A
/// file that another database was copied over has a foreign header on disk: a number that is
/// neither the log's nor the one before it (``LogBinding``), or a smaller change counter. Headers
/// are read only if the file's times or size have changed since the last check; without such a
/// copy, checkpoints change them.
///
/// One case is not detected: a copy of the same database, made during the present log by other
/// means than a backup, was copied over it and has no smaller change counter.
final class FileWatch: Sendable {
  private struct State {
    /// The times and size at the last check.
    var times: Times?
    /// The change counter on disk at the last check.
    var changeCounter: UInt32 = 0
    /// The database's identity; `nil` before the first check, and while it is a marked copy.
    var identity: Int64?
    var replacement: StoreError.Replacement?
  }

  /// The attributes of a file that a write changes.
  private struct Times: Hashable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      size = Int64(status.st_size)
      #if canImport(Darwin)
        (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
      #else
        (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
      #endif
    }
  }

  /// The path as the user gave it, for messages.
  private let path: String
  /// The absolute path, since the process may change its working directory.
  private let absolutePath: String
  private let logPath: String
  private let file: FileIdentity?
  private let log: FileIdentity?
  /// The number in the header on the disk when the file was opened. The log may have the next one.
  private let number: FileNumber
  /// Whether no change of the file is expected, and none would be noticed by SQLite.
  let isFixed: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - db: A connection that has read from the file in WAL mode, or from a fixed file. It stays
  ///     open, so that the write-ahead log does too.
  ///   - isFixed: Whether any change of the file is an error.
  /// - Throws: ``StoreError`` with `replaced` if the file was replaced since it was opened.
  init(path: String, _ db: Connection, isFixed: Bool) throws {
    self.path = path
    self.isFixed = isFixed
    absolutePath = path.hasPrefix("/") ? path : "\(Self.folder())/\(path)"
    let filePath = db.filePath ?? absolutePath
    logPath = "\(filePath)-wal"
    file = FileIdentity(at: absolutePath)
    log = FileIdentity(at: logPath)
    // Damage is not a replacement.
    if !isFixed { _ = try LogBinding(in: db) }
    guard case .header(let header) = db.storedHeader() else {
      throw db.takeReadFailure() ?? SQLiteError(Connection.readFailed)
    }
    number = header.number
    try check(opened: db)
  }

  private static func folder() -> String {
    guard let folder = getcwd(nil, 0) else { return "." }
    defer { free(folder) }
    return String(cString: folder)
  }

  /// Checks that the file is still the database at the path.
  ///
  /// - Parameter db: A connection that the caller holds.
  /// - Throws: ``StoreError`` with `replaced`.
  /// - Complexity: Two calls of `stat`; if the file was written since the last check, a read of
  ///   its header.
  func check(_ db: Connection) throws {
    if let replacement = replacement(db) {
      throw StoreError(.replaced(replacement), path: path)
    }
  }

  /// Returns how the file was replaced; `nil` while it is the database at the path.
  func replacement(_ db: Connection) -> StoreError.Replacement? {
    // A fixed file has no log, or one that is not read.
    if isFixed || hasOwnLog { return fileReplacement(db) }
    return fileReplacement(db)
      ?? state.withLock { state in
        state.replacement = .withoutLog
        return .withoutLog
      }
  }

  /// Checks that a commit has reached the file at the path: that the file and its write-ahead log
  /// had not been removed or replaced before it was complete.
  ///
  /// - Throws: ``StoreError`` with `replaced`, which states that the commit may be stored.
  /// - Complexity: Two calls of `stat`.
  func checkCommitted() throws {
    let replacement: StoreError.Replacement
    switch FileIdentity(at: absolutePath) {
    case nil: replacement = .removed
    case file: if hasOwnLog { return } else { replacement = .withoutLog }
    default: replacement = .replaced
    }
    var error = StoreError(.replaced(replacement), path: path)
    error.mayBeStored = true
    throw error
  }

  private func fileReplacement(_ db: Connection) -> StoreError.Replacement? {
    var status = stat()
    // An implicit conversion would copy the path.
    guard absolutePath.withCString({ stat($0, &status) }) == 0 else { return .removed }
    guard FileIdentity(status) == file else { return .replaced }
    let times = Times(status)
    return state.withLock { state in
      if state.times != times {
        let isFirst = state.times == nil
        state.times = times
        if state.replacement == nil {
          if isFixed, !isFirst {
            state.replacement = .changed
          } else if !isFixed, !isOurs(db, &state) {
            state.replacement = .overwritten
          }
        }
      }
      return state.replacement
    }
  }

  private func isOurs(_ db: Connection, _ state: inout State) -> Bool {
    do {
      // In one transaction, during which no page that it does not see reaches the file.
      let read = { (try LogBinding(in: db), db.storedHeader()) }
      let (binding, stored) =
        try db.isInTransaction
        ? db.reportingReadFailures(read) : db.transaction(.deferred, read)
      switch stored {
      case .unreadable: state.times = nil
      case .none: return false
      case .header(let header):
        guard binding.fits(header), header.changeCounter >= state.changeCounter,
          // A backup, unless this is one that has not been written yet.
          !header.number.isOfCopy || header.number == number,
          state.identity == nil || state.identity == binding.identity
        else { return false }
        state.changeCounter = header.changeCounter
        // A number on the disk is committed.
        if header.number == binding.number, !binding.number.isOfCopy {
          state.identity = binding.identity
        }
      }
    } catch {
      switch (error as? SQLiteError)?.code {
      case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_MISMATCH: return false
      // The next check reads the header again.
      default: state.times = nil
      }
    }
    return true
  }

  /// Checks that a newly opened connection, before its first read, has the same file.
  ///
  /// - Throws: ``StoreError`` with `replaced`.
  func check(opened db: Connection) throws {
    if db.hasMoved { throw StoreError(.replaced(.replaced), path: path) }
    try check(db)
  }

  /// Whether the write-ahead log at the path, if any, can be written.
  var canWriteLog: Bool { !isFixed && !FileAccess.isDenied(logPath, W_OK) }

  /// The sizes of the files at the paths of the database and its write-ahead log, in bytes;
  /// `nil` for a missing file.
  var sizes: (file: Int?, log: Int?) {
    func size(_ path: String) -> Int? {
      var status = stat()
      return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
    return (size(absolutePath), size(logPath))
  }

  /// Whether there is no file at the path.
  var isMissing: Bool { FileIdentity(at: absolutePath) == nil }

  /// Whether the write-ahead log at the path is still that of the open file.
  var hasOwnLog: Bool { FileIdentity(at: logPath) == log }
}

extension FileWatch {
  /// Prepares the last connection of a store for closing: decides whether SQLite moves the
  /// write-ahead log into the file and deletes it, or leaves it as it is.
  ///
  /// - Parameter isAlone: Whether no other store has the database open. SQLite's own locks do not
  ///   tell: a process may have lost them.
  func prepareToClose(_ db: Connection, isAlone: Bool) {
    switch replacement(db) {
    case nil: db.keepLogOnClose(!isAlone)
    // The open log has changes that the file lacks, unless others have begun one in its place.
    case .withoutLog: db.keepLogOnClose(!isAlone || FileIdentity(at: logPath) != nil)
    // The opened file may have another name, under which it is opened without the log.
    case .removed, .replaced: db.moveLog()
    case .overwritten, .changed: break
    }
  }
}

extension Connection {
  /// Opens a further connection to a store's file.
  ///
  /// - Throws: ``SQLiteError``; ``StoreError`` with `replaced` if another file is at the path.
  static func open(
    _ path: String, _ access: Access, _ watch: FileWatch, busyTimeout: Double
  ) throws -> Connection {
    do {
      let db = try Connection(path: path, access, busyTimeout: busyTimeout)
      db.keepLogOnClose()
      // The connection has not read yet, so it has not used one file's log for another.
      try watch.check(opened: db)
      if access == .readWriteExisting { try db.checkAccess(path) }
      return db
    } catch let error as SQLiteError where error.code == SQLITE_CANTOPEN && watch.isMissing {
      throw StoreError(.replaced(.removed), path: path)
    }
  }

  /// Moves the write-ahead log into the file, as far as readers permit.
  fileprivate func moveLog() {
    _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  /// Checks that SQLite has not opened the file, or the index of the log, for reading because
  /// opening it for writing failed.
  ///
  /// - Parameter hasRead: Whether the connection has read, and so has opened the index.
  /// - Throws: ``StoreError`` with `inputOutput` if the process may write it.
  func checkAccess(_ path: String, hasRead: Bool = false) throws {
    guard isReadOnly || hasRead && WriteAheadIndex.isReadOnly(self), let file = filePath,
      !FileAccess.isReadOnly(file)
    else { return }
    throw StoreError(.inputOutput(detail: "it could not be opened for writing"), path: path)
  }
}
