import LayoutCacheSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a file is in the file system.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// - Returns: `nil` where there is no file that this process can see.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// Tells whether the file that a store has open is still the database at its path.
///
/// A deleted, moved or replaced file has another device or inode than the one at the path. Of one
/// that was copied over, the header on the disk is another's: its `user_version`, which is random
/// in every database and 1 in a backup, or a change counter that has fallen. Headers are read only
/// where the file's times or size differ from the last look, which without such a copy is after
/// checkpoints.
///
/// One case can't be told: an older copy of the same database that was made by other means than a
/// backup, has been copied over it, and has no lower change counter.
final class FileWatch: Sendable {
  private struct State {
    /// The times and size at the last look.
    var times: Times?
    /// The header on the disk at the last look, since it was first seen to be this database's.
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

  /// As the user gave it, for messages.
  private let path: String
  /// The path from the root on: the process may change its folder.
  private let absolutePath: String
  let logPath: String
  let indexPath: String
  private let file: FileIdentity?
  private let log: FileIdentity?
  private let mark: UInt32
  private let state = Mutex(State())

  /// - Parameter db: A connection that has read from the file in WAL mode and stays open, so that
  ///   its write-ahead log does too.
  /// - Throws: ``StoreError`` with `replaced` where that has happened since it was opened.
  init(path: String, _ db: Connection) throws {
    self.path = path
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
  /// - Parameter db: A connection that the caller has.
  /// - Throws: ``StoreError`` with `replaced`.
  /// - Complexity: Two calls of `stat`; where the file has been written since the last time, a read
  ///   of its header.
  func check(_ db: Connection) throws {
    if let replacement = replacement(db) {
      throw StoreError(.replaced(replacement), path: path)
    }
  }

  /// Returns the change that the file has undergone; `nil` while it is the database at the path.
  func replacement(_ db: Connection) -> StoreError.Replacement? {
    if hasOwnLog { return fileReplacement(db) }
    return fileReplacement(db)
      ?? state.withLock { state in
        state.replacement = .withoutLog
        return .withoutLog
      }
  }

  /// Checks that the file is still the database at the path, and not whether its write-ahead log
  /// is: for each commit.
  ///
  /// - Throws: ``StoreError`` with `replaced`.
  /// - Complexity: One call of `stat`; else as ``check(_:)``.
  func checkFile(_ db: Connection) throws {
    if let replacement = fileReplacement(db) {
      throw StoreError(.replaced(replacement), path: path)
    }
  }

  private func fileReplacement(_ db: Connection) -> StoreError.Replacement? {
    var status = stat()
    guard stat(absolutePath, &status) == 0 else { return .removed }
    guard FileIdentity(status) == file else { return .replaced }
    let times = Times(status)
    return state.withLock { state in
      if state.times != times {
        state.times = times
        if state.replacement == nil, !isOurs(db.storedHeader(), &state) {
          state.replacement = .overwritten
        }
      }
      return state.replacement
    }
  }

  private func isOurs(_ stored: Connection.StoredHeader, _ state: inout State) -> Bool {
    switch stored {
    case .unreadable:
      // The next look reads it again.
      state.times = nil
      return true
    case .none: return false
    case .header(let header):
      // A copy that could not be marked as a database, since it can't be written.
      if mark <= CopyMark.copy { return true }
      if let known = state.header {
        state.header = header
        return header.mark == known.mark && header.changeCounter >= known.changeCounter
      }
      // The transaction that gave the database its mark may not have left the log yet.
      if header.mark == mark { state.header = header }
      return header.mark == mark || header.mark == 0
    }
  }

  /// Checks a connection that has just been opened, before it reads: it must have the same file.
  ///
  /// - Throws: ``StoreError`` with `replaced`.
  func check(opened db: Connection) throws {
    try check(db)
    if db.hasMoved { throw StoreError(.replaced(.replaced), path: path) }
  }

  /// Whether there is no file at the path.
  var isMissing: Bool { FileIdentity(at: absolutePath) == nil }

  /// Whether the write-ahead log at the path is still that of the open file.
  var hasOwnLog: Bool { FileIdentity(at: logPath) == log }
}

extension FileWatch {
  /// Prepares the last connection of a store for being closed: where the file at the path is not
  /// the database that was opened, nothing of this one's write-ahead log may reach it.
  ///
  /// Where no other process has the open file either, the log moves into it, if it has another
  /// name now, and is deleted: the next process that opens the path would take it for the log of
  /// the file that it finds there.
  func prepareToClose(_ db: Connection) {
    guard let replacement = replacement(db) else { return }
    switch replacement {
    // The log belongs to the file, and SQLite moves it there.
    case .withoutLog: return
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
  /// - Throws: ``SQLiteError``; ``StoreError`` with `replaced` where another file is at the path.
  static func open(
    _ path: String, _ access: Access, _ watch: FileWatch, busyTimeout: Double
  ) throws -> Connection {
    do {
      let db = try Connection(path: path, access, busyTimeout: busyTimeout)
      // It has not read yet, so it has not taken the log of one file for that of another.
      try watch.check(opened: db)
      return db
    } catch let error as SQLiteError where error.code == SQLITE_CANTOPEN && watch.isMissing {
      throw StoreError(.replaced(.removed), path: path)
    }
  }

  /// Moves the write-ahead log into the file.
  ///
  /// - Returns: Whether all of it was moved.
  fileprivate func moveWholeLog() -> Bool {
    var (pages, moved): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
    return code == SQLITE_OK && pages == moved
  }
}
