import Dispatch
import LayoutCacheSQLite
import Synchronization
import TestSupport
import Testing

@testable import LayoutStore

@Suite struct ConnectionTests {
  private let directory: TemporaryDirectory
  private let db: Connection

  init() throws {
    directory = try TemporaryDirectory()
    db = try Connection(path: directory.path(of: "a.sqlite"), .readWrite, busyTimeout: 0.05)
    try db.execute("CREATE TABLE t (number INTEGER, text TEXT, bytes BLOB, real REAL)")
  }

  private func other(
    _ access: Connection.Access = .readWrite, busyTimeout: Double = 0.05
  ) throws -> Connection {
    try Connection(path: directory.path(of: "a.sqlite"), access, busyTimeout: busyTimeout)
  }

  /// A sleep may last much longer than requested: on a loaded machine, or while the process is
  /// stopped.
  @Test func theBusyTimeoutIsTimeAndNotANumberOfSleeps() {
    let time = Atomic<UInt64>(7_000_000_000)
    let handler = BusyHandler(timeout: 5) {
      time.add(1_000_000_000, ordering: .relaxed).oldValue
    }
    for _ in 0..<2 { #expect((0..<100).firstIndex { handler.waits(Int32($0)) == 0 } == 5) }
    #expect(BusyHandler(timeout: .nan).waits(0) == 0)
  }

  private func code(of body: () throws -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      return (error as? SQLiteError)?.code
    }
  }

  @Test func aColumnOfAnotherTypeIsAMismatchAndNeverConverted() throws {
    try db.execute("INSERT INTO t VALUES (1.5, x'31', '2', 3.5)")
    #expect(
      code { _ = try Statement("SELECT number FROM t", db).value(as: Int64.self) }
        == SQLITE_MISMATCH)
    #expect(
      code { _ = try Statement("SELECT text FROM t", db).value(as: String.self) } == SQLITE_MISMATCH
    )
    #expect(
      code { _ = try Statement("SELECT bytes FROM t", db).value(as: [UInt8].self) }
        == SQLITE_MISMATCH)
    #expect(try Statement("SELECT real FROM t", db).value() == 3.5)
    #expect(try Statement("SELECT number FROM t WHERE 0", db).value(as: Int64.self) == nil)
  }

  /// Otherwise the connection would keep reading the state of that first read.
  @Test func aStatementLeftBeforeItsLastRowEndsItsRead() throws {
    try db.execute("PRAGMA journal_mode = WAL; INSERT INTO t (number) VALUES (1), (2)")
    let reader = try other(.readOnly)
    do {
      let statement = try Statement("SELECT number FROM t", reader)
      #expect(try statement.next() != nil)
    }
    try db.execute("INSERT INTO t (number) VALUES (3)")
    #expect(try Statement("SELECT count(*) FROM t", reader).value() == 3)
  }

  @Test func aThrowingTransactionIsRolledBackEvenIfSQLiteDidSo() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try db.transaction(.immediate) {
        try db.execute("INSERT INTO t (number) VALUES (1)")
        throw Stop()
      }
    }
    try db.execute("CREATE UNIQUE INDEX i ON t (number)")
    #expect(
      code {
        try db.transaction(.immediate) {
          try db.execute("INSERT INTO t (number) VALUES (1)")
          try db.execute("INSERT OR ROLLBACK INTO t (number) VALUES (1)")
        }
      } == SQLITE_CONSTRAINT)
    #expect(!db.isInTransaction)
    #expect(try Statement("SELECT count(*) FROM t", db).value() == 0)
    try db.transaction(.immediate) { try db.execute("INSERT INTO t (number) VALUES (1)") }
    #expect(db.totalChangedRows == 3)
    #expect(try Statement("SELECT count(*) FROM t", db).value() == 1)
  }

  @Test func aLockIsWaitedForAndGivenUp() throws {
    try db.execute("BEGIN IMMEDIATE")
    #expect(code { try other(busyTimeout: 0.01).transaction(.immediate) {} } == SQLITE_BUSY)
    let waiting = try other(busyTimeout: 60)
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      let end =
        thread == 0 ? { try db.execute("ROLLBACK") } : { try waiting.transaction(.immediate) {} }
      #expect(throws: Never.self, performing: end)
    }
  }

  @Test func threadsUseASharedConnectionInTurn() throws {
    let shared = SharedConnection(path: "") { try other(busyTimeout: 60) }
    try db.execute("INSERT INTO t (number) VALUES (0)")
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      #expect(throws: Never.self) {
        for _ in 0..<100 {
          try shared.use { db in
            let number: Int64 = try Statement("SELECT number FROM t", db).value() ?? 0
            try Statement("UPDATE t SET number = ?", db).run([.number(number + 1)])
          }
        }
      }
    }
    #expect(try Statement("SELECT number FROM t", db).value() == 400)
  }
}
