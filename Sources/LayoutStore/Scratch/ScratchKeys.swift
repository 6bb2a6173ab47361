/// Keys that do not fit into memory, each with what is noted of it: a table in a temporary
/// database of its own, as ``ScratchTable``.
package final class ScratchKeys {
  private let connection: Connection

  /// Makes an empty table.
  package init() throws {
    connection = try StoreError.mappedForScratch {
      try Connection(path: "", .readWrite, busyTimeout: 0)
    }
    try database { db in
      try db.execute(
        """
        PRAGMA journal_mode = OFF;
        CREATE TABLE keys (
          key BLOB PRIMARY KEY, isMarked INTEGER NOT NULL DEFAULT 0, payload BLOB)
          WITHOUT ROWID
        """)
    }
  }

  /// Adds a key.
  ///
  /// - Returns: Whether it was not there.
  package func insert(_ key: some Collection<UInt8>) throws -> Bool {
    try database { db in
      try Statement("INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING", db)
        .run([.bytes(Array(key))])
      return db.changedRows > 0
    }
  }

  /// Notes a blob of a key that is there.
  package func put(_ payload: [UInt8], for key: some Collection<UInt8>) throws {
    try database { db in
      try Statement("UPDATE keys SET payload = ? WHERE key = ?", db)
        .run([.bytes(payload), .bytes(Array(key))])
    }
  }

  /// The blob of a key; `nil` where there is none, or no such key.
  package func payload(for key: some Collection<UInt8>) throws -> [UInt8]? {
    try database { db in
      try Statement("SELECT payload FROM keys WHERE key = ?", db).value([.bytes(Array(key))])
    }
  }

  /// Marks a key, if it is there.
  package func mark(_ key: some Collection<UInt8>) throws {
    try database { db in
      try Statement("UPDATE keys SET isMarked = 1 WHERE key = ?", db).run([.bytes(Array(key))])
    }
  }

  /// Whether a key is marked.
  package func isMarked(_ key: some Collection<UInt8>) throws -> Bool {
    try database { db in
      try Statement("SELECT isMarked FROM keys WHERE key = ?", db)
        .value([.bytes(Array(key))], as: Int.self) == 1
    }
  }

  /// Takes all marks away.
  package func unmarkAll() throws {
    try database { try $0.execute("UPDATE keys SET isMarked = 0 WHERE isMarked") }
  }

  private func database<R>(_ body: (Connection) throws -> R) throws -> R {
    try StoreError.mappedForScratch { try connection.tellingReadFailures { try body(connection) } }
  }
}

extension StoreError {
  /// Runs `body` on a temporary database.
  static func mappedForScratch<R>(_ body: () throws -> R) throws -> R {
    try mapped(path: "the temporary database", busyTimeout: 0, body)
  }
}
