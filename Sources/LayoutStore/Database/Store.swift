import Dispatch
import Synchronization

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
/// All SQL of the project is in this module, but not the meaning of the blobs: the engine passes
/// payloads in, and gets them back checked.
package final class Store: Sendable {
  package let path: String
  /// The hash that indexes keys and seals payloads, with the file's secret key.
  package let hash: KeyedHash
  /// Whether this process can only read the file: the file or its folder is read-only.
  package let isReadOnly: Bool
  /// The bits by which incarnations differ from the stored ones, unless the file is a marked copy.
  private let incarnationMask: Int64
  private let isCopy: Atomic<Bool>
  private let lock: FileLock?
  /// Opened on the first write: most processes that answer one query never write.
  private let writer: SharedConnection
  private let readers: ReaderPool
  let mover: WALCheckpointer
  let watch: FileWatch
  package let options: StoreOptions
  private let calls: CallsUnderWay
  private let commits = Atomic(0)

  /// Opens a file, creates it if `options` permits, and updates its schema, each step in a
  /// separate transaction.
  ///
  /// - Throws: ``StoreError``.
  package init(path: String, options: StoreOptions) throws {
    try Self.checkPlace(of: path, options)
    let (file, watch) = try StoreError.mapped(path: path, busyTimeout: options.busyTimeout) {
      let file = try Self.openFile(at: path, options)
      return (file, try FileWatch(path: path, file.first, isFixed: file.isFixed))
    }
    let (hash, isReadOnly) = (file.hash, file.isReadOnly || !watch.canWriteLog)
    self.watch = watch
    self.isReadOnly = isReadOnly
    incarnationMask = file.isFixed ? Self.fixedMask : 0
    isCopy = Atomic(file.number.isOfCopy)
    lock = file.lock
    let mover = WALCheckpointer(path: path, busyTimeout: options.busyTimeout, watch)
    self.hash = hash
    calls = CallsUnderWay(
      path: path, index: file.isFixed ? WriteAheadIndex() : WriteAheadIndex(file.first))
    readers = ReaderPool(
      path: path, first: file.first, isFixed: file.isFixed, busyTimeout: options.busyTimeout, watch)
    writer = SharedConnection(path: path) {
      if isReadOnly { throw StoreError(.readOnly, path: path) }
      let db = try Connection.open(
        path, .readWriteExisting, watch, busyTimeout: options.busyTimeout)
      try db.reportingReadFailures { try Self.setUp(db, path: path, options) }
      try mover.takeOver(db)
      return db
    }
    (self.mover, self.path, self.options) = (mover, path, options)
  }

  deinit {
    // No call is in progress. A failure loses nothing: committed changes are in the file and its
    // log.
    if !isClosed { try? closeConnections() }
  }

  /// Whether the file has been closed.
  ///
  /// - Complexity: O(1): an atomic load.
  package var isClosed: Bool { calls.areOver }

  /// The number of transactions that this store has committed.
  package var commitCount: Int { commits.load(ordering: .relaxed) }

  /// The sizes of the file and its write-ahead log in bytes; `nil` for a missing file.
  package var fileSizes: (file: Int?, log: Int?) { watch.sizes }

  /// Keeps the file open while `body` runs, with any number of calls: `close` waits until `body`
  /// returns. Calls may nest; each of the following is one.
  ///
  /// - Parameter body: Receives the ``foreignGeneration()`` at its start.
  /// - Throws: ``StoreError`` with `closed` if the store is closed, or if another thread waits to
  ///   close it and this thread is not in a call; errors of `body`.
  package func call<R>(_ body: (_ generation: Int) throws -> R) throws -> R {
    let generation = try calls.begin()
    defer { calls.end() }
    return try body(generation)
  }

  /// Whether this thread is in a call, so that a call that waits may wait for its own.
  package var isInCall: Bool { calls.areOfThisThread }

  /// Runs `body` on one committed state of the database.
  ///
  /// - Throws: ``StoreError`` for SQLite's failures; errors of `body`.
  package func read<R>(_ body: (StoreReader) throws -> R) throws -> R {
    try mappedCall {
      try readers.read { db in
        try db.transaction(.deferred) { try calls.reading { try body(reader(of: db)) } }
      }
    }
  }

  /// As ``read(_:)``, for a read whose work grows with a dataset or its log. Not within another.
  package func readLong<R>(_ body: (StoreReader) throws -> R) throws -> R {
    try mover.readingLong { try read(body) }
  }

  /// Runs a single statement without a transaction, if it need not be consistent with others. For
  /// example, a node never changes under its id.
  ///
  /// - Throws: As ``read(_:)``.
  package func readWithoutTransaction<R>(_ body: (StoreReader) throws -> R) throws -> R {
    try mappedCall {
      try readers.read { db in
        try db.reportingReadFailures { try body(reader(of: db)) }
      }
    }
  }

  /// - Parameter db: A connection that sees committed changes only.
  private func reader(of db: Connection) throws -> StoreReader {
    var mask = incarnationMask
    // Until the first write, by any process, all derive the same incarnations from the number.
    if isMarkedCopy {
      let number = try FileNumber(in: db)
      if number.isOfCopy { mask = number.incarnationMask }
      isCopy.store(number.isOfCopy, ordering: .relaxed)
    }
    return StoreReader(db: db, path: path, hash: hash, incarnationMask: mask)
  }

  /// Whether the file was a copy that no process had written when this store last read it.
  package var isMarkedCopy: Bool { isCopy.load(ordering: .relaxed) }

  /// Runs `body` in one transaction (`BEGIN IMMEDIATE` … `COMMIT`), which is rolled back if it
  /// throws. If the disk is full, `body` is run again once the write-ahead log has been moved. The
  /// first commit of each write-ahead log binds it to the file (``LogBinding``), and the first of a
  /// marked copy makes it a database.
  ///
  /// - Parameters:
  ///   - dropNodes: Called before `body` is run again although it has written nodes, whose IDs are
  ///     void; `nil` if it cannot be run again then.
  ///   - didCommit: Called after the commit, before the next transaction of this store begins.
  /// - Throws: ``StoreError`` for SQLite's failures, and with `replaced` if the file is no longer
  ///   the one at the path, and with `inUse` within another transaction of this thread; errors
  ///   of `body`. Nothing is written then, unless the error states that it may be stored.
  package func write<R>(
    dropNodes: (() -> Void)? = nil, _ body: (StoreWriter) throws -> R,
    didCommit: (R) -> Void = { _ in }
  ) throws -> R {
    var hasWrittenNodes = false
    do {
      return try writeOnce(didCommit) { writer in
        defer { hasWrittenNodes = writer.hasWrittenNodes }
        return try body(writer)
      }
    } catch let error as StoreError where error.code == .diskFull {
      // The log may be what fills the disk, and it is otherwise moved only after a commit. If that
      // fails, so does the second attempt.
      _ = try? emptyWriteAheadLog(attempts: 1)
      if hasWrittenNodes {
        guard let dropNodes else { throw error }
        dropNodes()
      }
      return try writeOnce(didCommit, body)
    }
  }

  private func writeOnce<R>(
    _ didCommit: (R) -> Void, _ body: (StoreWriter) throws -> R
  ) throws -> R {
    assert(!calls.isReading, Self.readsFirst)
    return try mappedCall {
      var since = DispatchTime.distantFuture
      var isLarge = false
      let result = try writer.use { db in
        var (hasCommitted, hasChanges) = (false, false)
        defer { calls.didEndTransaction(hasCommitted: hasCommitted) }
        let result = try db.transaction(.immediate) {
          since = .now()
          let changesBefore = db.totalChangedRows
          let result: R
          do {
            let writer = StoreWriter(reader: StoreReader(db: db, path: path, hash: hash))
            let isCopy = try isMarkedCopy && FileNumber(in: db).isOfCopy
            if isCopy {
              try writer.becomeDatabase(options.random)
              // The states in memory have other incarnations.
              calls.discardGeneration()
            }
            result = try body(writer)
            hasChanges = db.totalChangedRows != changesBefore || writer.hasReleasedPages
            if hasChanges, !isCopy, calls.mayBeginLog {
              try LogBinding.renewIfMoved(in: db, options.random)
            }
          } catch {
            // If another database was copied over the file, its datasets are different or
            // unreadable.
            try watch.check(db)
            throw error
          }
          if hasChanges {
            // A change to a file or log that is no longer at the path would be lost.
            try watch.check(db)
            calls.willCommit()
          }
          return result
        }
        if hasChanges { try watch.checkCommitted() }
        hasCommitted = true
        if hasChanges { commits.add(1, ordering: .relaxed) }
        isLarge = mover.commitIsLarge
        didCommit(result)
        return result
      }
      mover.moveIfDue(afterLarge: isLarge)
      // Another process polls for the lock, and would miss a short gap.
      if DispatchTime.now() > since + .milliseconds(Self.longMilliseconds) { letOthersWrite() }
      return result
    }
  }

  private static let readsFirst =
    "a thread in a read transaction never waits for the write lock: see docs/design/locks.md"

  /// Runs `body` on the writing connection, outside any transaction.
  func withWriterConnection<R>(_ body: (Connection) throws -> R) throws -> R {
    assert(!calls.isReading, Self.readsFirst)
    return try mappedCall {
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

  /// Lets waiting writers take the write lock, between two transactions of long work: pauses
  /// longer than waiting writers sleep between two polls.
  package func letOthersWrite() { usleep(Self.gapMicroseconds) }

  private static let gapMicroseconds: UInt32 = 1000
  /// The transaction time from which a pause follows.
  private static let longMilliseconds = 8

  /// Returns a number that increases when another process, or another store of this process, has
  /// committed since the last call. This store's commits do not count. Once the store is closed,
  /// every call reports a change.
  ///
  /// - Complexity: O(1), without a system call.
  package func foreignGeneration() -> Int { calls.generation() }

  /// Waits for calls in progress and closes every connection. The last one moves the write-ahead
  /// log into the file. A closed store cannot be opened again.
  ///
  /// - Parameter last: Makes the last calls, when those of other threads are already rejected.
  /// - Throws: ``StoreError`` with `inUse` within a call of the same thread, and nothing is done;
  ///   SQLite's failures.
  package func close(last: () -> Void = {}) throws {
    try calls.close(last: last) { try mapped(closeConnections) }
  }

  private func closeConnections() throws {
    // The readers' first connection must be closed last: a read-only connection cannot empty the
    // log.
    try mover.close()
    try writer.close()
    try readers.close { watch.prepareToClose($0, isAlone: lock?.exclude() ?? true) }
    lock?.release()
  }

  /// Makes a call, and maps SQLite's errors to the store's.
  private func mappedCall<R>(_ body: () throws -> R) throws -> R {
    try call { _ in try mapped(body) }
  }

  private func mapped<R>(_ body: () throws -> R) throws -> R {
    try StoreError.mapped(path: path, busyTimeout: options.busyTimeout, body)
  }
}

/// Options for opening a database file.
package struct StoreOptions: Sendable {
  /// Whether a missing file is created.
  package var createsFile: Bool
  /// Whether an acknowledged commit survives a power cut: SQLite's `synchronous=FULL`.
  /// Otherwise, with `NORMAL`, it survives a killed process; a power cut may lose the
  /// last commits, and never damages the file.
  package var survivesPowerCut: Bool
  /// How long to wait for another process's write, in seconds.
  package var busyTimeout: Double
  package var random: RandomSource
  package var files: FileCalls

  package init(
    createsFile: Bool = true, survivesPowerCut: Bool = false, busyTimeout: Double = 5,
    random: RandomSource = .system, files: FileCalls = .system
  ) {
    (self.createsFile, self.survivesPowerCut) = (createsFile, survivesPowerCut)
    self.busyTimeout = busyTimeout
    (self.random, self.files) = (random, files)
  }
}

/// Support for work proportional to a dataset's size, which must not delay other threads.
package enum LongWork {
  /// The number of items to process, at a few microseconds each, before yielding.
  package static let strideCount = 64

  /// Lets threads that wait for a processor run first.
  ///
  /// A committing thread sleeps repeatedly, for the disk or another thread. If all processors are
  /// busy, it would wait for a full time slice, milliseconds, each time. Call this every few
  /// hundred microseconds, without holding a lock. It takes less than a microsecond if no thread
  /// waits.
  package static func giveWay() { sched_yield() }
}
