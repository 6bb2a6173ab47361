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
  /// Opened when somebody writes: most processes that ask one question never do.
  private let writer: SharedConnection
  private let readers: ReaderPool
  let mover: LogMover
  let watch: FileWatch
  let options: StoreOptions
  private let calls: CallsUnderWay

  /// Opens a file, makes one where that is asked for, and brings its schema up to
  /// date, each step in its own transaction.
  ///
  /// - Throws: ``StoreError``.
  package init(path: String, options: StoreOptions) throws {
    try Self.checkPlace(of: path, options)
    let (first, hash) = try StoreError.mapped(path: path, busyTimeout: options.busyTimeout) {
      try Self.openFile(at: path, options)
    }
    let watch = try StoreError.mapped(path: path, busyTimeout: options.busyTimeout) {
      try FileWatch(path: path, first)
    }
    self.watch = watch
    let mover = LogMover(path: path, busyTimeout: options.busyTimeout, watch)
    self.hash = hash
    calls = CallsUnderWay(path: path, index: WriteAheadIndex(first))
    readers = ReaderPool(path: path, first: first, busyTimeout: options.busyTimeout, watch)
    writer = SharedConnection {
      let db = try Connection.open(
        path, .readWriteExisting, watch, busyTimeout: options.busyTimeout)
      try db.tellingReadFailures {
        try Self.setUp(db, path: path, options)
        // There still where the file could not be written when it was opened.
        try CopyMark.resolve(db, path: path, hash: hash)
      }
      mover.takeOver(db)
      return db
    }
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
  /// - Throws: ``StoreError`` for SQLite's own failures, and with `replaced` where the file is no
  ///   longer the one at the path; what `body` throws. Nothing is written then.
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
          let result: R
          do {
            result = try body(StoreWriter(reader: StoreReader(db: db, path: path, hash: hash)))
          } catch {
            // A file that was copied over has other datasets, or none that can be read.
            try watch.checkFile(db)
            throw error
          }
          if db.totalChangedRows != changesBefore {
            // A change would be lost with a file that is not at the path.
            try watch.checkFile(db)
            calls.willCommit()
          }
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
    try mappedCall {
      try writer.use { db in
        try watch.check(db)
        return try body(db)
      }
    }
  }

  /// Checks that the file is still the database at the path.
  ///
  /// - Throws: ``StoreError`` with `replaced`.
  package func checkFile() throws {
    try mappedCall { try readers.read { try watch.check($0) } }
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
    // The readers' first must be the last: a read-only connection can't empty the log.
    try mover.close()
    try writer.close()
    try readers.close { watch.prepareToClose($0) }
  }

  /// A call, with SQLite's errors as the store's own.
  private func mappedCall<R>(_ body: () throws -> R) throws -> R {
    try call { _ in try mapped(body) }
  }

  private func mapped<R>(_ body: () throws -> R) throws -> R {
    try StoreError.mapped(path: path, busyTimeout: options.busyTimeout, body)
  }
}
