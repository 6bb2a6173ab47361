import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A LayoutCache database: one SQLite file in WAL mode, with one writer at a time
/// and readers that each see one committed state.
///
/// All SQL of the project is in this module. What the blobs mean is not: the
/// engine hands payloads in and gets them back, checked.
package final class Store: Sendable {
  package let path: String
  /// The hash that indexes keys and seals payloads, with this file's own secret.
  package let hash: KeyedHash
  private let writer: SharedConnection
  private let readers: ReaderPool
  let mover: LogMover
  let options: StoreOptions
  private let calls: CallsUnderWay

  /// Opens a file, makes one where that is asked for, and brings its schema up to
  /// date, each step in a transaction of its own.
  ///
  /// - Throws: ``StoreError``.
  package init(path: String, options: StoreOptions) throws {
    try Self.checkPlace(of: path, options)
    let mover = LogMover(path: path, busyTimeout: options.busyTimeout)
    let index: WriteAheadIndex
    (writer, index, hash) = try StoreError.mapped(path: path, busyTimeout: options.busyTimeout) {
      let db = try Connection(path: path, .readWrite, busyTimeout: options.busyTimeout)
      return try db.tellingReadFailures {
        try Self.refuseForeignFile(db, path: path, options)
        try Self.setUp(db, path: path, options)
        try Self.migrate(db, path: path)
        mover.takeOver(db)
        return (SharedConnection(db), WriteAheadIndex(db), try Self.hash(db, path: path))
      }
    }
    calls = CallsUnderWay(path: path, index: index)
    readers = ReaderPool(path: path, busyTimeout: options.busyTimeout)
    self.mover = mover
    self.path = path
    self.options = options
  }

  deinit {
    // Nobody is in a call. Nothing is lost where it fails: what has been committed is
    // in the file and its log.
    if !isClosed { try? closeConnections() }
  }

  /// Whether the file has been closed.
  ///
  /// - Complexity: O(1): an atomic load.
  package var isClosed: Bool { calls.areOver }

  /// Keeps the file open while `body` runs, however many calls that makes: `close` waits
  /// for its end. Calls may nest; each of the following is one.
  ///
  /// - Parameter body: Takes the ``foreignGeneration()`` at its begin.
  /// - Throws: ``StoreError`` with `closed` where the store has been closed, or another
  ///   thread waits to close it and this one is in no call; what `body` throws.
  package func call<R>(_ body: (_ generation: Int) throws -> R) throws -> R {
    let generation = try calls.begin()
    defer { calls.end() }
    return try body(generation)
  }

  /// Runs `body` on one committed state of the database.
  ///
  /// - Throws: ``StoreError`` for SQLite's own failures; what `body` throws.
  package func read<R>(_ body: (StoreReader) throws -> R) throws -> R {
    try mappedCall {
      try readers.read { db in
        try db.transaction(.deferred) { try body(StoreReader(db: db, path: path, hash: hash)) }
      }
    }
  }

  /// Runs one statement that needs no other to agree with it, such as the read of a
  /// node, which never changes under its id; spares the transaction around it.
  ///
  /// - Throws: As ``read(_:)``.
  package func readWithoutTransaction<R>(_ body: (StoreReader) throws -> R) throws -> R {
    try mappedCall {
      try readers.read { db in
        try db.tellingReadFailures { try body(StoreReader(db: db, path: path, hash: hash)) }
      }
    }
  }

  /// Runs `body` in one transaction (`BEGIN IMMEDIATE` … `COMMIT`), rolled back
  /// whole where it throws.
  ///
  /// - Parameter didCommit: Called once the transaction is committed, before the next
  ///   one of this store begins.
  /// - Throws: ``StoreError`` for SQLite's own failures; what `body` throws.
  package func write<R>(
    _ body: (StoreWriter) throws -> R, didCommit: (R) -> Void = { _ in }
  ) throws -> R {
    try mappedCall {
      var since = DispatchTime.distantFuture
      var isLarge = false
      let result = try writer.use { db in
        var hasCommitted = false
        defer { calls.didEndTransaction(hasCommitted: hasCommitted) }
        let result = try db.transaction(.immediate) {
          since = .now()
          let changesBefore = db.totalChangedRows
          let result = try body(StoreWriter(reader: StoreReader(db: db, path: path, hash: hash)))
          if db.totalChangedRows != changesBefore { calls.willCommit() }
          return result
        }
        hasCommitted = true
        isLarge = mover.commitIsLarge
        didCommit(result)
        return result
      }
      mover.moveIfDue(afterLarge: isLarge)
      // Another process looks for the lock now and then, and would miss a short gap.
      if DispatchTime.now() > since + .milliseconds(Self.longMilliseconds) { letOthersWrite() }
      return result
    }
  }

  /// Runs `body` on the connection that writes, outside any transaction.
  func withWriterConnection<R>(_ body: (Connection) throws -> R) throws -> R {
    try mappedCall { try writer.use(body) }
  }

  /// Lets whoever waits for the write lock have it, between two transactions of a long
  /// piece of work: longer than waiting writers sleep before they look again.
  package func letOthersWrite() { usleep(Self.gapMicroseconds) }

  private static let gapMicroseconds: UInt32 = 1000
  /// A transaction that has taken longer is followed by a pause.
  private static let longMilliseconds = 8

  /// A number that rises when another process, or another store of this one, has
  /// committed since the last look. This store's own commits do not count. Once the
  /// store is closed every look is taken to show a change.
  ///
  /// - Complexity: O(1), without a system call.
  package func foreignGeneration() -> Int { calls.generation() }

  /// Waits for the calls under way and closes every connection; the last one moves the
  /// write-ahead log into the file. A store that is closed stays so.
  ///
  /// - Parameter last: Calls that come last, when those of other threads are refused.
  /// - Throws: ``StoreError`` with `inUse` within a call of the same thread, and then
  ///   nothing is done; SQLite's own failures.
  package func close(last: () -> Void = {}) throws {
    try calls.close(last: last) { try mapped(closeConnections) }
  }

  private func closeConnections() throws {
    // The writer must be the last: a read-only connection can't empty the log.
    try readers.close()
    try mover.close()
    try writer.use { try $0.close() }
  }

  /// Says what is wrong with a path before SQLite does, which has one message for all.
  private static func checkPlace(of path: String, _ options: StoreOptions) throws {
    switch FileKind(at: path) {
    case .directory: throw StoreError(.cannotOpen(detail: "it is a directory"), path: path)
    case .other: return
    case nil: break
    }
    if !options.createsFile { throw StoreError(.noSuchFile, path: path) }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    if FileKind(at: String(folder)) != .directory {
      throw StoreError(.cannotOpen(detail: "there is no folder \(folder)"), path: path)
    }
  }

  private static func setUp(_ db: Connection, path: String, _ options: StoreOptions) throws {
    // Before the first page is written: later it takes a VACUUM, which `compact` does.
    if try db.pragma("page_count") == 0 { try db.execute("PRAGMA auto_vacuum = INCREMENTAL") }
    guard try db.pragma("journal_mode = WAL") == "wal" else {
      throw StoreError(.cannotOpen(detail: "it can't have a write-ahead log"), path: path)
    }
    // Debian's SQLite overwrites what it deletes; nodes are rewritten all the time and
    // hold nothing that the file does not hold elsewhere.
    try db.execute(
      """
      PRAGMA foreign_keys = ON;
      PRAGMA secure_delete = OFF;
      PRAGMA temp_store = FILE;
      PRAGMA synchronous = \(options.survivesPowerCut ? "FULL" : "NORMAL");
      """)
  }

  static func hash(_ db: Connection, path: String) throws -> KeyedHash {
    let key: [UInt8]? = try Statement("SELECT hash_key FROM database WHERE id = 1", db).value()
    guard let key, key.count == 16 else {
      throw StoreError(.corrupt(detail: "the table database has no row"), path: path)
    }
    return KeyedHash(key: key)
  }

  /// A call, with SQLite's errors as the store's own.
  private func mappedCall<R>(_ body: () throws -> R) throws -> R {
    try call { _ in try mapped(body) }
  }

  private func mapped<R>(_ body: () throws -> R) throws -> R {
    try StoreError.mapped(path: path, busyTimeout: options.busyTimeout, body)
  }
}

/// What stands at a path.
private enum FileKind {
  case directory
  case other

  /// - Returns: `nil` where there is nothing, or nothing that this process can see.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self = status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
  }
}
