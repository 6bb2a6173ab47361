package import SumTree

/// A source that copies the nodes read from a committed state into a temporary database, and
/// answers from there afterwards, when the state no longer exists.
package final class ScratchNodes: NodeSource {
  private let database: ScratchDatabase
  private let path: String
  private var origin: StoreReader?

  private init(_ origin: StoreReader) throws {
    database = try ScratchDatabase(
      "CREATE TABLE nodes (id INTEGER PRIMARY KEY, payload BLOB NOT NULL)")
    path = origin.path
    self.origin = origin
  }

  /// Returns the copies of the nodes that `body` reads.
  ///
  /// - Complexity: O(nodes), in constant memory.
  package static func copied(
    from origin: StoreReader, _ body: (TreeSession) throws -> Void
  ) throws -> ScratchNodes {
    let nodes = try ScratchNodes(origin)
    try body(TreeSession(nodes, keepsNodes: false))
    nodes.origin = nil
    return nodes
  }

  /// - Throws: ``StoreError`` with `missingNode` for a node that was not copied.
  package func withPayload<R>(
    of id: NodeID, _ body: (inout ByteReader) throws -> R
  ) throws -> R {
    let number = ColumnValue.number(Int64(bitPattern: id.rawValue))
    let payload: [UInt8]
    if let origin {
      payload = try origin.withPayload(of: id) { try $0.readBytes(count: $0.remaining) }
      try database.run { db in
        try Statement("INSERT OR REPLACE INTO nodes VALUES (?, ?)", db)
          .run([number, .bytes(payload)])
      }
    } else {
      let copy: [UInt8]? = try database.run { db in
        try Statement("SELECT payload FROM nodes WHERE id = ?", db).value([number])
      }
      guard let copy else { throw StoreError(.missingNode(id), path: path) }
      payload = copy
    }
    return try ByteReader.read(payload, nodeIDs: NodeSpace(of: id).nodeIDs, body)
  }
}
