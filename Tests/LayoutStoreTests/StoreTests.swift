import Foundation
import Migrations
import SumTree
import Synchronization
import TestSupport
import Testing

@testable import LayoutStore

@Suite struct StoreTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path(of: "store.sqlite") }

  init() throws { directory = try TemporaryDirectory() }

  private func store(_ options: StoreOptions = StoreOptions()) throws -> Store {
    try Store(path: path, options: options)
  }

  private func code(of body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  private func writer(_ bytes: [UInt8]) -> ByteWriter {
    var writer = ByteWriter()
    writer.writeBytes(bytes)
    return writer
  }

  @Test func anothersCommitIsSeenEvenAfterACommitOfThisConnection() throws {
    let store = try store()
    let db = try Connection(path: path, .readWrite, busyTimeout: 0)
    try db.execute("SELECT count(*) FROM nodes")
    var index = WriteAheadIndex(db)
    func commit() throws {
      try db.execute("BEGIN IMMEDIATE; UPDATE database SET next_space = next_space + 1")
      index.willCommit()
      try db.execute("COMMIT")
      index.didEndTransaction(hasCommitted: true)
    }
    let before = index.generation()
    try commit()
    #expect(index.generation() == before)
    try store.write { _ = try $0.makeSpace() }
    try commit()
    #expect(index.generation() > before)
  }

  /// A writer that has missed another's commit must not replace it.
  @Test func anEntryOfTheLogIsNeverReplaced() throws {
    let store = try store()
    func rows() throws -> [[UInt8]] {
      try store.read { reader in
        var payloads: [[UInt8]] = []
        try reader.forEachLogRow(after: 0, upTo: reader.logHead(of: 1)) {
          payloads.append($0.payload)
        }
        return payloads
      }
    }
    let head = LogHead(dataset: 1, revision: 0, time: 0, total: .none)
    let first = LogRow(after: head, operations: 1, payload: [1], time: 1)
    try store.write { try $0.append(first) }
    #expect(
      code {
        try store.write { try $0.append(LogRow(after: head, operations: 1, payload: [2], time: 1)) }
      } == .corrupt(detail: "log entry 1 of dataset 1 already exists"))
    #expect(try rows() == [[1]])
    try store.write {
      try $0.append(LogRow(after: LogHead(first), operations: 1, payload: [3], time: 2))
    }
    #expect(try rows() == [[1], [3]])
  }

  @Test func requestsWithoutTheirAnswersSharePages() throws {
    let store = try store()
    let answer = [UInt8](repeating: 7, count: 3000)
    try store.write { writer in
      for number in 0..<2000 {
        let row = RequestRow(
          dataset: 1, owner: "", key: "key \(number * 7919 % 2000)",
          bodyHash: Array(answer.prefix(32)), revision: number, answer: answer, time: Int64(number))
        try writer.put(row, keepingAnswers: 100 * answer.count)
      }
    }
    // Some 200 bytes each, with their entries of two indexes, and a page for each answer.
    #expect(try store.read { try $0.usedBytes() } < 2000 * 300 + 120 * 4096)
    try store.read { try $0.checkRequests(to: 1) }
  }

  @Test func everyFlippedBitOfANodeIsFound() throws {
    let store = try store()
    let id = try store.write { transaction in
      try transaction.nodeSink(in: try transaction.makeSpace(), next: 1)
        .write(writer([10, 20, 30, 40]))
    }
    let database = try RawDatabase(path: path)
    let blob = try #require(try database.rows("SELECT payload FROM nodes").first?[0].bytes)
    for bit in 0..<(blob.count * 8) {
      var damaged = blob
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try database.execute("UPDATE nodes SET payload = ?", [.bytes(damaged)])
      let found = code {
        try store.read { reader in try reader.withPayload(of: id) { _ in } }
      }
      guard case .corruptNode(id, _) = found else {
        Issue.record("bit \(bit): \(String(describing: found))")
        continue
      }
    }
  }

  @Test func aNodeStoredUnderAnotherIDIsFound() throws {
    let store = try store()
    let ids = try store.write { transaction in
      let sink = transaction.nodeSink(in: try transaction.makeSpace(), next: 1)
      return try [sink.write(writer([1])), sink.write(writer([2]))]
    }
    try RawDatabase(path: path).execute(
      "UPDATE nodes SET payload = (SELECT payload FROM nodes WHERE id = ?)",
      [.number(Int64(ids[0].rawValue))])
    let found = code {
      try store.read { reader in try reader.withPayload(of: ids[1]) { _ in } }
    }
    #expect(found == .corruptNode(ids[1], detail: "has a wrong checksum"))
  }

  @Test func theScheduledMigrationsAreRecordedOnce() throws {
    try store().close()
    try store().close()
    let rows = try RawDatabase(path: path).rows("SELECT number, name FROM migrations")
    #expect(rows.map(\.[0].number) == [1] && rows.map(\.[1].text) == ["M0001_contexts"])
  }

  /// The file of a released version is changed step by step, each once and as a whole.
  @Test func aFileOfAnEarlierVersionIsMigrated() throws {
    try store().close()
    let last = Migration.last
    let later = Migration(
      number: last + 1, name: "test",
      sql: "CREATE TABLE test (n INTEGER) STRICT; INSERT INTO test SELECT next_space FROM database")
    let db = try Connection(path: path, .readWrite, busyTimeout: 0)
    for _ in 1...2 { try Store.migrate(db, path: path, .system, steps: Migration.all + [later]) }
    #expect(try Statement("SELECT count(*) FROM test", db).value() == 1)
    #expect(try Statement("SELECT max(number) FROM migrations", db).value() == last + 1)
    let broken = Migration(
      number: last + 2, name: "test",
      sql: "INSERT INTO test VALUES (7); INSERT INTO nowhere VALUES (1)")
    #expect(throws: (any Error).self) {
      try Store.migrate(db, path: path, .system, steps: Migration.all + [later, broken])
    }
    #expect(try Statement("SELECT count(*) FROM test", db).value() == 1)
    #expect(try Statement("SELECT max(number) FROM migrations", db).value() == last + 1)
    try db.close()
    #expect(code { _ = try store() } == .newerVersion(found: last + 1, known: last))
  }

  @Test(arguments: ["M0001_tables", "M0001_splices"])
  func aFileOfAnUnreleasedVersionIsRejectedAndUnchanged(first: String) throws {
    let db = try RawDatabase(path: path)
    try db.execute(
      """
      PRAGMA application_id = \(Store.applicationID);
      CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
      INSERT INTO migrations VALUES (1, '\(first)'), (2, 'M0002_variants')
      """)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(code { _ = try store() } == .unreleasedVersion)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func aDatabaseOfANewerVersionIsRejected() throws {
    try store().close()
    try RawDatabase(path: path).execute(
      "INSERT INTO migrations (number, name) VALUES (99, 'M0099_later')")
    #expect(code { _ = try store() } == .newerVersion(found: 99, known: Migration.last))
  }

  @Test func aFileOfAnotherKindIsRejectedAndLeftAlone() throws {
    let text = Data(String(repeating: "This is no database.\n", count: 200).utf8)
    try text.write(to: URL(filePath: path))
    guard case .notADatabase = code(of: { _ = try store() }) else {
      Issue.record("a text file was opened as a database")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == text)
  }

  @Test func aDatabaseOfAnotherProgramIsRejectedAndLeftAlone() throws {
    try RawDatabase(path: path).execute(
      "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
    let before = try Data(contentsOf: URL(filePath: path))
    guard case .notADatabase = code(of: { _ = try store() }) else {
      Issue.record("another program's database was opened as ours")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func viewsAndTriggersOfAFileAreNotUsed() throws {
    try store().close()
    try RawDatabase(path: path).execute(
      "CREATE TRIGGER other AFTER UPDATE ON database BEGIN DELETE FROM database; END")
    let first = try store()
    for _ in 1...2 { _ = try first.write { try $0.makeSpace() } }
    try first.close()
    try RawDatabase(path: path).execute(
      "ALTER TABLE database RENAME TO own; CREATE VIEW database AS SELECT * FROM own")
    #expect(code { try store().close() } != nil)
  }

  /// A store that is opened during a restore waits for it, and opens the new file.
  @Test func aStoreOpensTheFileThatARestorePutsInPlace() throws {
    let backup = directory.path(of: "backup.sqlite")
    try store().close()
    let source = try Store(path: backup, options: StoreOptions())
    // So long that the restore reports progress.
    try source.write { transaction in
      let sink = transaction.nodeSink(in: try transaction.makeSpace(), next: 1)
      for _ in 0..<4000 { _ = try sink.write(writer([1, 2, 3])) }
    }
    try source.close()
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    var isStarted = false
    _ = try Store.restore(from: backup, to: path, StoreOptions()) { [path] _, _ in
      if isStarted { return }
      isStarted = true
      let before = Self.openCount(of: path)
      Thread {
        let result = Result { try Store(path: path, options: StoreOptions()).close() }
        outcome.withLock { $0 = result }
      }.start()
      while Self.openCount(of: path) == before, outcome.withLock({ $0 == nil }) { usleep(1000) }
    }
    try #require(isStarted)
    while outcome.withLock({ $0 == nil }) { usleep(1000) }
    try outcome.withLock { try $0?.get() }
  }

  /// The number of this process's descriptors of a file.
  private static func openCount(of path: String) -> Int {
    (0..<256).count { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))
        == path
    }
  }

  @Test func whatIsNoRegularFileIsRejectedAndLeftAlone() throws {
    let missing = directory.path(of: "missing.sqlite")
    func isRejected(_ detail: String) throws {
      #expect(code { _ = try store() } == .cannotOpen(detail: detail))
      try Store(path: directory.path(of: "backup.sqlite"), options: StoreOptions()).close()
      let restored = code {
        _ = try Store.restore(
          from: directory.path(of: "backup.sqlite"), to: path, StoreOptions(), progress: { _, _ in }
        )
      }
      #expect(restored == .cannotOpen(detail: detail))
    }
    #expect(code { _ = try store(StoreOptions(createsFile: false)) } == .noSuchFile)
    #expect(!FileManager.default.fileExists(atPath: path))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: missing)
    try isRejected("it is a symbolic link to a file that does not exist")
    #expect(code { _ = try store(StoreOptions(createsFile: false)) } == .noSuchFile)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == missing)
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    try isRejected("it is not a regular file")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try isRejected("it is a directory")
  }

  @Test func theRequestedDurabilityIsInEffect() throws {
    for (survivesPowerCut, level) in [(false, 1), (true, 2)] {
      let store = try store(StoreOptions(survivesPowerCut: survivesPowerCut))
      #expect(try store.write { try $0.db.pragma("synchronous", as: Int.self) } == level)
      try store.close()
    }
  }
}
