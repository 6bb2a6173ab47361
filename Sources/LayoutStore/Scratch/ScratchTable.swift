package import SumTree

/// Blobs that do not fit into memory while they are sorted: a table in a temporary
/// database. Rows are ordered by (major, minor).
package final class ScratchTable {
  private let database: ScratchDatabase

  /// Creates an empty table.
  package init() throws {
    database = try ScratchDatabase(
      """
      CREATE TABLE scratch (
        major INTEGER NOT NULL, minor INTEGER NOT NULL, payload BLOB NOT NULL,
        PRIMARY KEY (major, minor)) WITHOUT ROWID
      """)
  }

  /// Stores a blob.
  package func insert(major: Int, minor: Int, _ payload: ByteWriter) throws {
    try database.run { db in
      try Statement("INSERT INTO scratch VALUES (?, ?, ?)", db)
        .run([.number(Int64(major)), .number(Int64(minor)), .bytes(payload.bytes)])
    }
  }

  /// Calls `body` with the blobs of one major number in the order of the minor one.
  package func forEach(
    major: Int, _ body: (inout ByteReader) throws -> Void
  ) throws {
    let minors: [Int] = try database.run { db in
      try Statement("SELECT minor FROM scratch WHERE major = ? ORDER BY minor", db)
        .values([.number(Int64(major))])
    }
    for minor in minors {
      guard let payload = try payload(major: major, minor: minor) else { continue }
      try ByteReader.read(payload, body)
    }
  }

  /// Returns the blob at a position; `nil` if there is none.
  package func payload(major: Int, minor: Int) throws -> [UInt8]? {
    try database.run { db in
      try Statement("SELECT payload FROM scratch WHERE major = ? AND minor = ?", db)
        .value([.number(Int64(major)), .number(Int64(minor))])
    }
  }
}

/// A separate temporary database, in a file that is deleted with the value and with the process.
///
/// It is independent of the store's file, so filling it delays no writer.
final class ScratchDatabase {
  private let connection: Connection

  /// Creates a database with the tables of some statements.
  init(_ tables: String) throws {
    connection = try Self.mapped { try Connection(path: "", .readWrite, busyTimeout: 0) }
    try run { try $0.execute("PRAGMA journal_mode = OFF; \(tables)") }
  }

  /// Runs statements.
  ///
  /// - Throws: ``StoreError``; other errors of `body`.
  func run<R>(_ body: (Connection) throws -> R) throws -> R {
    try Self.mapped { try connection.reportingReadFailures { try body(connection) } }
  }

  private static func mapped<R>(_ body: () throws -> R) throws -> R {
    try StoreError.mapped(path: "the temporary database", busyTimeout: 0, body)
  }
}

/// A set of keys that do not fit into memory, each with a mark and a payload: a table in a
/// temporary database.
package final class ScratchKeys {
  private let database: ScratchDatabase

  /// Creates an empty table.
  package init() throws {
    database = try ScratchDatabase(
      """
      CREATE TABLE keys (
        key BLOB PRIMARY KEY, isMarked INTEGER NOT NULL DEFAULT 0, position INTEGER, payload BLOB)
        WITHOUT ROWID
      """)
  }

  /// Adds a key.
  ///
  /// - Returns: Whether the key was new.
  package func insert(_ key: some Collection<UInt8>) throws -> Bool {
    try database.run { db in
      try Statement("INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING", db)
        .run([.bytes(Array(key))])
      return db.changedRows > 0
    }
  }

  /// Stores a blob for an existing key.
  ///
  /// - Parameter position: The blob's position in ``forEachMarked(_:)``.
  package func put(
    _ payload: [UInt8], at position: Int, for key: some Collection<UInt8>
  ) throws {
    try database.run { db in
      try Statement("UPDATE keys SET position = ?, payload = ? WHERE key = ?", db)
        .run([.number(Int64(position)), .bytes(payload), .bytes(Array(key))])
    }
  }

  /// Calls `body` with the blobs of marked keys, by position.
  package func forEachMarked(_ body: ([UInt8]) throws -> Void) throws {
    try database.run { db in
      let statement = try Statement(
        "SELECT payload FROM keys WHERE isMarked AND payload IS NOT NULL ORDER BY position", db)
      while let row = try statement.next() {
        if let payload: [UInt8] = try row.value(at: 0) { try body(payload) }
      }
    }
  }

  /// Returns the blob of a key; `nil` if there is none, or no such key.
  package func payload(for key: some Collection<UInt8>) throws -> [UInt8]? {
    try database.run { db in
      try Statement("SELECT payload FROM keys WHERE key = ?", db).value([.bytes(Array(key))])
    }
  }

  /// Marks a key, if it exists.
  package func mark(_ key: some Collection<UInt8>) throws {
    try database.run { db in
      try Statement("UPDATE keys SET isMarked = 1 WHERE key = ?", db).run([.bytes(Array(key))])
    }
  }

  package func isMarked(_ key: some Collection<UInt8>) throws -> Bool {
    try database.run { db in
      try Statement("SELECT isMarked FROM keys WHERE key = ?", db)
        .value([.bytes(Array(key))], as: Int.self) == 1
    }
  }

  /// Removes all marks.
  package func unmarkAll() throws {
    try database.run { try $0.execute("UPDATE keys SET isMarked = 0 WHERE isMarked") }
  }
}

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

/// Blobs in the order of a number and a byte string: a table in a temporary database.
package final class ScratchRows {
  private let database: ScratchDatabase

  /// Creates an empty table.
  package init() throws {
    database = try ScratchDatabase(
      "CREATE TABLE rows (major INTEGER NOT NULL, rank BLOB NOT NULL, payload BLOB NOT NULL)")
  }

  /// Stores a blob.
  package func insert(major: Int, rank: [UInt8], _ payload: [UInt8]) throws {
    try database.run { db in
      try Statement("INSERT INTO rows VALUES (?, ?, ?)", db)
        .run([.number(Int64(major)), .bytes(rank), .bytes(payload)])
    }
  }

  /// Sorts the blobs, after the last one.
  package func sort() throws {
    try database.run { try $0.execute("CREATE INDEX rows_by_rank ON rows (major, rank)") }
  }

  /// Calls `body` with the blobs of one major number in the order of their byte strings.
  package func forEach(major: Int, _ body: ([UInt8]) throws -> Void) throws {
    try database.run { db in
      let statement = try Statement("SELECT payload FROM rows WHERE major = ? ORDER BY rank", db)
      statement.bind([.number(Int64(major))])
      while let row = try statement.next() {
        if let payload: [UInt8] = try row.value(at: 0) { try body(payload) }
      }
    }
  }
}
