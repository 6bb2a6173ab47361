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

  /// Returns whether a key is marked.
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
