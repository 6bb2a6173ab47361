import TestSupport
import Testing

@testable import LayoutStore

/// Files that are read as files that do not change.
@Suite struct FixedFileTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    // A name that would mean something in a URI.
    path = directory.path(of: "feed %41?mode=rw#1é.sqlite")
    try Store(path: path, options: StoreOptions()).close()
  }

  @Test func aFixedFileIsReadWithoutALog() throws {
    let db = try Connection(path: path, .fixed, busyTimeout: 0)
    #expect(db.isReadOnly)
    #expect(try Store.hasPresentSchema(db, path: path))
    #expect(FileIdentity(at: path + "-wal") == nil && FileIdentity(at: path + "-shm") == nil)
    #expect(throws: SQLiteError.self) { try db.execute("PRAGMA user_version = 7") }
  }

  @Test func aChangeOfAFixedFileEndsReading() throws {
    let db = try Connection(path: path, .fixed, busyTimeout: 0)
    try db.readSchema()
    let watch = try FileWatch(path: path, db, isFixed: true)
    let pool = ReaderPool(path: path, first: db, isFixed: true, busyTimeout: 0, watch)
    try pool.read { _ in try pool.read { #expect($0.isReadOnly) } }
    let other = try Connection(path: path, .readWriteExisting, busyTimeout: 0)
    try other.execute("CREATE TABLE more (number INTEGER)")
    try other.close()
    let error = #expect(throws: StoreError.self) { try pool.read { _ in } }
    #expect(error?.code == .replaced(.changed))
  }
}
