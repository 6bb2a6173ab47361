import LayoutCacheSQLite
import Synchronization

/// Detects whether another connection has committed, without calling SQLite: the header of the
/// write-ahead log's index, which every commit changes, is in memory shared by all processes.
///
/// A `PRAGMA data_version` takes some 2 µs, including a transaction, as long as a query for a
/// rectangle; this takes some nanoseconds.
///
/// The memory is the mapping of SQLite's own connection, obtained through the VFS and only read.
/// If it is unavailable, every check reports a change, which is slow but correct.
///
/// A plain value: its owner ensures that one thread at a time uses it.
///
/// Source: https://sqlite.org/walformat.html, section 2.1 (the header's fields);
/// https://sqlite.org/c3ref/io_methods.html (`xShmMap`).
struct WriteAheadIndex: Sendable {
  /// The identity of a committed state: the number of commits since the index was created, the
  /// frames in the log, and the salt, which changes when the log restarts. The last two suffice
  /// to distinguish any two states; the first distinguishes one commit from several.
  private struct Header: Equatable {
    var changes: UInt32
    var frames: UInt32
    var salt: UInt64
  }

  /// The last state known to contain no unseen foreign commits.
  private var known: Header?
  /// The expected number of commits after this process's announced commit.
  private var ownChanges: UInt32?
  /// Incremented by every check that finds a foreign commit.
  private var rises = 0
  /// The index's first page, valid as long as the connection. Pointers are not Sendable; this one
  /// is only read through, by one thread at a time.
  private nonisolated(unsafe) var page: UnsafeRawPointer?
  /// Whether no process can commit.
  private var isFixed = false

  /// Creates the index of a file that does not change.
  init() { isFixed = true }

  /// - Parameter connection: A connection in WAL mode that stays open until ``forgetPage()``,
  ///   or for as long as the value is used.
  init(_ connection: Connection) {
    page = Self.firstPage(connection)
  }

  /// Stops using the page, because the connection is about to be closed. Every check then reports
  /// a change.
  mutating func forgetPage() {
    page = nil
    isFixed = false
  }

  /// Returns a number that increases when another connection has committed since the last call.
  mutating func generation() -> Int {
    if isFixed { return rises }
    let header = header()
    if header == nil || header != known && header?.changes != ownChanges {
      known = header
      rises += 1
    }
    return rises
  }

  /// Makes the next check report a change.
  mutating func discardGeneration() { known = nil }

  /// Whether the log is empty, or pages of it have been moved into the file, so that the next commit
  /// may begin a new log. Pages are moved before this is recorded.
  var mayBeginLog: Bool {
    guard let page else { return true }
    return page.load(fromByteOffset: 96, as: UInt32.self) > 0
      || page.load(fromByteOffset: 16, as: UInt32.self) == 0
  }

  /// Announces that the next commit is this process's.
  ///
  /// Call it in the transaction, when no other process can commit, and only if there is something
  /// to commit.
  mutating func willCommit() {
    // Otherwise foreign commits since the last check would be mistaken for this process's.
    _ = generation()
    ownChanges = header().map { $0.changes &+ 1 }
  }

  /// Records the state after the announced commit, unless a foreign commit has followed, which
  /// the next check finds.
  ///
  /// - Parameter hasCommitted: Whether the transaction was committed.
  mutating func didEndTransaction(hasCommitted: Bool) {
    if hasCommitted, let header = header(), header.changes == ownChanges { known = header }
    ownChanges = nil
  }

  private func header() -> Header? {
    guard let page else { return nil }
    return Header(
      changes: page.load(fromByteOffset: 8, as: UInt32.self),
      frames: page.load(fromByteOffset: 16, as: UInt32.self),
      salt: page.load(fromByteOffset: 32, as: UInt64.self))
  }

  /// The version of the index format, which all of SQLite 3 writes.
  private static let formatVersion: UInt32 = 3_007_000
  /// The size of the index's first page in bytes.
  private static let pageBytes: Int32 = 32_768

  /// Whether SQLite could open the index of a connection that has read for reading only.
  static func isReadOnly(_ connection: Connection) -> Bool {
    var page: UnsafeMutableRawPointer?
    guard let file = connection.file(SQLITE_FCNTL_FILE_POINTER),
      let map = file.pointee.pMethods?.pointee.xShmMap
    else { return false }
    return map(file, 0, pageBytes, 0, &page) & 0xFF == SQLITE_READONLY
  }

  /// Returns whether no process has SQLite's lock on the index of a file, or there is no index.
  /// SQLite would clear it.
  static func isUnlocked(of path: String) throws -> Bool {
    try opening {
      let db = try Connection(path: path, .readOnlyIndex, busyTimeout: 0)
      guard let file = db.file(SQLITE_FCNTL_FILE_POINTER),
        let methods = file.pointee.pMethods?.pointee
      else { return false }
      var page: UnsafeMutableRawPointer?
      let code = methods.xShmMap(file, 0, pageBytes, 0, &page)
      _ = methods.xShmUnmap(file, 0)
      // SQLITE_READONLY_CANTINIT, which Swift does not import.
      return code == SQLITE_READONLY | 5 << 8 || code & 0xFF == SQLITE_CANTOPEN
    }
  }

  /// Calls `body`, which opens indices, while nothing else in the process does.
  ///
  /// The connections of a process share one mapping of an index, with the access of the first: one
  /// that reads while ``isUnlocked(of:)`` has it mapped could not write for as long as it is open.
  static func opening<R>(_ body: () throws -> R) throws -> R {
    // `Mutex.withLock` can only return a `sending` value.
    var result: Result<R, any Error>?
    openings.withLock { _ in result = Result { try body() } }
    guard let result else { preconditionFailure("A lock runs its body.") }
    return try result.get()
  }

  private static let openings = Mutex(())

  private static func firstPage(_ connection: Connection) -> UnsafeRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(connection.handle, nil, SQLITE_FCNTL_FILE_POINTER, &file)
        == SQLITE_OK,
      let file, let map = file.pointee.pMethods?.pointee.xShmMap
    else { return nil }
    var page: UnsafeMutableRawPointer?
    guard map(file, 0, pageBytes, 0, &page) == SQLITE_OK, let page,
      page.load(as: UInt32.self) == formatVersion
    else { return nil }
    return UnsafeRawPointer(page)
  }
}
