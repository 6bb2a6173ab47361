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
