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
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// Detects whether a store's open file is still the database at its path.
///
/// A deleted, moved or replaced file has another device or inode than the file at the path. A
/// file that another database was copied over has a foreign header on disk: another
/// `user_version`, which is random in every database and 1 in a backup, or a smaller change
/// counter. Headers are read only if the file's times or size have changed since the last check;
/// without such a copy, checkpoints change them.
///
/// One case is not detected: an older copy of the same database, made by other means than a
/// backup, was copied over it and has no smaller change counter.
final class FileWatch: Sendable {
  private struct State {
    /// The times and size at the last check.
    var times: Times?
    /// The header on disk at the last check, once it was known to be this database's.
    var header: FileHeader?
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
  let logPath: String
  let indexPath: String
  private let file: FileIdentity?
  private let log: FileIdentity?
  private let mark: UInt32
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
    indexPath = "\(filePath)-shm"
    file = FileIdentity(at: absolutePath)
    log = FileIdentity(at: logPath)
    mark = try CopyMark.mark(of: db)
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

  /// Checks that the file is still the database at the path, without checking its write-ahead
  /// log. Used for each commit.
  ///
  /// - Throws: ``StoreError`` with `replaced`.
  /// - Complexity: One call of `stat`; otherwise as ``check(_:)``.
  func checkFile(_ db: Connection) throws {
    if let replacement = fileReplacement(db) {
      throw StoreError(.replaced(replacement), path: path)
    }
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
          } else if !isOurs(db.storedHeader(), &state) {
            state.replacement = .overwritten
          }
        }
      }
      return state.replacement
    }
  }

  private func isOurs(_ stored: Connection.StoredHeader, _ state: inout State) -> Bool {
    switch stored {
    case .unreadable:
      // The next check reads the header again.
      state.times = nil
      return true
    case .none: return false
    case .header(let header):
      // A copy in a read-only file, whose mark could not be replaced with a database's.
      if mark <= CopyMark.copy { return true }
      if let known = state.header {
        state.header = header
        return header.mark == known.mark && header.changeCounter >= known.changeCounter
      }
      // The transaction that set the mark may still be in the log only.
      if header.mark == mark { state.header = header }
      return header.mark == mark || header.mark == 0
    }
  }

  /// Checks that a newly opened connection, before its first read, has the same file.
  ///
  /// - Throws: ``StoreError`` with `replaced`.
  func check(opened db: Connection) throws {
    try check(db)
    if db.hasMoved { throw StoreError(.replaced(.replaced), path: path) }
  }

  /// Whether the write-ahead log at the path, if any, can be written.
  var canWriteLog: Bool {
    if isFixed || log == nil { return !isFixed }
    let descriptor = open(logPath, O_RDWR | O_CLOEXEC)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0 || errno != EACCES && errno != EROFS
  }

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
  /// Prepares the last connection of a store for closing. If the file at the path is not the
  /// opened database, no page of this database's write-ahead log may reach it.
  ///
  /// If no other process has the opened file open either, the log is moved into that file,
  /// provided that it now has another name, and is deleted. Otherwise the next process to open
  /// the path would take it for the log of the file found there.
  func prepareToClose(_ db: Connection) {
    // The process has not used a log.
    if isFixed { return }
    guard let replacement = replacement(db) else { return }
    switch replacement {
    // The log belongs to the file, and SQLite moves it there.
    case .withoutLog, .changed: return
    case .removed, .replaced: guard db.moveWholeLog() else { return db.keepLogOnClose() }
    case .overwritten: break
    }
    db.keepLogOnClose()
    if db.lockFile(), hasOwnLog {
      unlink(logPath)
      unlink(indexPath)
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
      // The connection has not read yet, so it has not used one file's log for another.
      try watch.check(opened: db)
      return db
    } catch let error as SQLiteError where error.code == SQLITE_CANTOPEN && watch.isMissing {
      throw StoreError(.replaced(.removed), path: path)
    }
  }

  /// Moves the write-ahead log into the file.
  ///
  /// - Returns: Whether the whole log was moved.
  fileprivate func moveWholeLog() -> Bool {
    var (pages, moved): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
    return code == SQLITE_OK && pages == moved
  }
}
