import TestSupport
import Testing

@testable import LayoutStore

@Suite struct ReaderPoolTests {
  private let directory: TemporaryDirectory
  private let pool: ReaderPool

  init() throws {
    directory = try TemporaryDirectory()
    let path = directory.path(of: "a.sqlite")
    try Store(path: path, options: StoreOptions()).close()
    let first = try Connection(path: path, .readWrite, busyTimeout: 0)
    try first.readSchema()
    pool = ReaderPool(
      path: path, first: first, isFixed: false, busyTimeout: 0,
      try FileWatch(path: path, first, isFixed: false))
  }

  /// Reads within reads, each on its own connection.
  private func nest(_ depth: Int) throws -> Int {
    try pool.read { db in
      let one: Int = try Statement("SELECT 1", db).value() ?? 0
      return depth == 1 ? one : try one + nest(depth - 1)
    }
  }

  @Test func nestedReadsNeedNoConnectionOfAnother() throws {
    #expect(try nest(3 * ReaderPool.idleMax) == 3 * ReaderPool.idleMax)
  }

  @Test func idleConnectionsAreKeptUpToTheLimit() throws {
    #expect(try nest(2) == 2)
    #expect(pool.idleCount == 2)
    _ = try nest(ReaderPool.idleMax + 5)
    // The first is in use until the last has been returned, and is kept too.
    #expect(pool.idleCount == ReaderPool.idleMax + 1)
    try pool.close()
    #expect(pool.idleCount == 0)
  }

  @Test func aThrowingReadReturnsItsConnection() throws {
    #expect(throws: SQLiteError.self) {
      try pool.read { try $0.execute("no statement") }
    }
    #expect(pool.idleCount == 1)
  }
}
