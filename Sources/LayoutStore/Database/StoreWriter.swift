import GRDB
import GRDBSQLite
package import SumTree

/// One write transaction; it reads its own changes.
package final class StoreWriter {
  package let reader: StoreReader
  var db: Database { reader.db }
  /// Whether nodes may have been written, and so been given ids that are void if the
  /// transaction is rolled back.
  package private(set) var hasWrittenNodes = false

  init(reader: StoreReader) { self.reader = reader }

  /// Takes a fresh space for an owner's nodes.
  ///
  /// - Throws: ``StoreError`` where the file has used all of them.
  package func makeSpace() throws -> NodeSpace {
    let space = try Int64.fetchOne(
      db,
      sql: "UPDATE database SET next_space = next_space + 1 WHERE id = 1 RETURNING next_space - 1")
    guard let space, NodeSpace.range.contains(space) else {
      throw reader.corrupt("every node space is used; export into a new database")
    }
    return NodeSpace(rawValue: space)
  }

  /// Deletes every node of a space.
  ///
  /// - Complexity: O(nodes).
  package func deleteNodes(in space: NodeSpace) throws {
    try db.execute(
      sql: "DELETE FROM nodes WHERE id BETWEEN ? AND ?",
      arguments: [space.ids.lowerBound, space.ids.upperBound])
  }

  /// Deletes single nodes.
  package func delete(_ nodes: [NodeID]) throws {
    let statement = try db.cachedStatement(sql: "DELETE FROM nodes WHERE id = ?")
      .sqliteStatement
    // In the order of the table, so that neighbours on a page go together.
    for node in nodes.sorted() {
      sqlite3_reset(statement)
      sqlite3_bind_int64(statement, 1, Int64(bitPattern: node.rawValue))
      let code = sqlite3_step(statement)
      sqlite3_reset(statement)
      try check(code)
    }
  }

  /// A sink that numbers nodes of a space from `next` on.
  package func nodeSink(in space: NodeSpace, next: Int64) -> NodeWriter {
    hasWrittenNodes = true
    return NodeWriter(writer: self, space: space, next: next)
  }

  /// Throws unless a statement that writes has done so.
  func check(_ code: Int32) throws {
    guard code == SQLITE_DONE else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
  }

  func execute(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }
}

/// Where an owner's new nodes go, under ids that rise and are never used again:
/// a stored node never changes, so a snapshot reads the same under the same id
/// for as long as it is there.
package final class NodeWriter: NodeSink {
  private let writer: StoreWriter
  private let space: NodeSpace
  /// The number of the next node; stored in the owner's row.
  package private(set) var next: Int64

  init(writer: StoreWriter, space: NodeSpace, next: Int64) {
    self.writer = writer
    self.space = space
    self.next = next
  }

  /// Stores a payload under a fresh id, in the writer's transaction.
  package func write(_ payload: ByteWriter) throws -> NodeID {
    let id = space.id(number: next)
    let blob = Seal.seal(payload.bytes, identity: id.rawValue, hash: writer.reader.hash)
    let statement = try writer.db.cachedStatement(
      sql: "INSERT INTO nodes (id, payload) VALUES (?, ?)"
    ).sqliteStatement
    sqlite3_reset(statement)
    sqlite3_bind_int64(statement, 1, Int64(bitPattern: id.rawValue))
    let code = blob.withUnsafeBytes { bytes in
      // The statement is stepped before the bytes go away: no copy is needed.
      sqlite3_bind_blob(statement, 2, bytes.baseAddress, Int32(bytes.count), nil)
      return sqlite3_step(statement)
    }
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    try writer.check(code)
    next += 1
    return id
  }
}
