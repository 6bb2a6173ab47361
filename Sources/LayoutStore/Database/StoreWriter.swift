import SumTree

/// A write transaction, which reads its uncommitted changes.
package final class StoreWriter {
  package let reader: StoreReader
  var db: Connection { reader.db }
  /// Whether nodes may have been written, whose ids are void if the transaction is rolled back.
  package private(set) var hasWrittenNodes = false

  /// Whether free pages were released, which changes no row.
  var hasReleasedPages = false

  init(reader: StoreReader) { self.reader = reader }

  /// Allocates a new space for an owner's nodes.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if the file has used all spaces, or the next one has
  ///   an owner or nodes.
  package func makeSpace() throws -> NodeSpace {
    let next: Int64? = try Statement("SELECT next_space FROM database WHERE id = 1", db).value()
    guard let next, NodeSpace.range.contains(next) else {
      throw reader.corrupt("all node spaces are used; export into a new database")
    }
    let space = NodeSpace(rawValue: next)
    guard try ownerCount(of: space) == 0, try lastNumber(in: space) == 0 else {
      throw reader.corrupt("node space \(next) is marked as free but in use")
    }
    try run("UPDATE database SET next_space = ? WHERE id = 1", [.number(next + 1)])
    return space
  }

  /// Returns the number of rows that claim a space.
  func ownerCount(of space: NodeSpace) throws -> Int {
    try Statement(
      """
      SELECT (SELECT count(*) FROM datasets WHERE space = ?1)
        + (SELECT count(*) FROM layouts WHERE space = ?1)
      """, db
    ).value([.number(space.rawValue)]) ?? 0
  }

  /// Returns the greatest node number of a space; 0 without nodes.
  ///
  /// - Complexity: O(log nodes).
  func lastNumber(in space: NodeSpace) throws -> Int64 {
    let numbers = try [space.wholeIDs, space.differenceIDs].map { ids in
      let statement = try Statement(
        "SELECT id FROM nodes WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1", db)
      let last: Int64? = try statement.value([.number(ids.lowerBound), .number(ids.upperBound)])
      return last.map { $0 - ids.lowerBound } ?? 0
    }
    return numbers.max() ?? 0
  }

  func deleteRows(_ nodes: some Sequence<NodeID>) throws {
    let statement = try Statement("DELETE FROM nodes WHERE id = ?", db)
    // In table order, so that rows on the same page are deleted together.
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

  /// Returns a sink that numbers nodes of a space from `next` on.
  package func nodeSink(in space: NodeSpace, next: Int64) -> NodeWriter {
    hasWrittenNodes = true
    return NodeWriter(writer: self, space: space, next: next)
  }

  /// Runs a statement that writes.
  func run(_ sql: String, _ values: [ColumnValue]) throws { try Statement(sql, db).run(values) }
}
