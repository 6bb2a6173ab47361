import GRDB
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

  /// Deletes single nodes.
  package func delete(_ nodes: [NodeID]) throws {
    let statement = try Statement("DELETE FROM nodes WHERE id = ?", db)
    // In the order of the table, so that neighbours on a page go together.
    for node in nodes.sorted() {
      try statement.run([.number(Int64(bitPattern: node.rawValue))])
    }
  }

  /// Stores a sealed node.
  func insert(_ id: NodeID, _ blob: [UInt8]) throws {
    try run(
      "INSERT INTO nodes (id, payload) VALUES (?, ?)",
      [.number(Int64(bitPattern: id.rawValue)), .bytes(blob)])
  }

  /// A sink that numbers nodes of a space from `next` on.
  package func nodeSink(in space: NodeSpace, next: Int64) -> NodeWriter {
    hasWrittenNodes = true
    return NodeWriter(writer: self, space: space, next: next)
  }

  /// Runs a statement that writes.
  func run(_ sql: String, _ values: [ColumnValue]) throws { try Statement(sql, db).run(values) }
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
    try writer.insert(
      id, Seal.seal(payload.bytes, identity: id.rawValue, hash: writer.reader.hash))
    next += 1
    return id
  }
}
