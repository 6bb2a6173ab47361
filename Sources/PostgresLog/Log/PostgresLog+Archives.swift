import LayoutCluster

// Archives: bytes stored in chunks.

extension PostgresLog {
  package func beginArchive(of dataset: Int64?) throws -> Int64 {
    try writing { connection in
      let ids = try connection.write(
        "INSERT INTO layoutcache.archive (dataset) VALUES ($1) RETURNING id",
        [dataset.map { .int64($0) } ?? .null]
      ) { try $0.int64(0) }
      guard let id = ids.first else {
        throw PostgresError(.malformed, "the server returned no archive number")
      }
      return id
    }
  }

  package func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws {
    let count = try writing { connection in
      // A concurrent sweep of the archive waits for the chunk, and deletes it too.
      try connection.write(
        """
        WITH archive AS (
          SELECT id FROM layoutcache.archive WHERE id = $1 AND NOT is_going FOR SHARE
        )
        INSERT INTO layoutcache.chunk (archive, number, bytes) SELECT id, $2, $3 FROM archive
        ON CONFLICT (archive, number) DO UPDATE SET bytes = excluded.bytes
        """, [.int64(archive), .int32(Int32(number)), .bytes(bytes)])
    }
    if count == 0 { throw SharedLogFailure.archiveDeleted("archive \(archive) was deleted") }
  }

  /// Returns whether an archive is deleted, or being deleted.
  func isDeleted(_ archive: Int64) throws -> Bool {
    try confirmed(
      Self.confirming("SELECT id FROM layoutcache.archive WHERE id = $2 AND NOT is_going"),
      [.int64(archive)]
    ) { try $0.int64(0) }.isEmpty
  }

  package func removeArchive(_ archive: Int64) throws {
    try writing { connection in
      // A node that loads the dataset needs the newest checkpoint, once the log is cut to it.
      let isThere = try connection.write(
        """
        UPDATE layoutcache.archive AS a SET is_going = true, checkpoint = NULL
        WHERE id = $1 AND entry IS NULL AND (checkpoint IS NULL OR EXISTS (
          SELECT FROM layoutcache.archive AS newer
          WHERE newer.dataset = a.dataset AND newer.checkpoint > a.checkpoint))
        """, [.int64(archive)])
      if isThere > 0 { try sweep(archive, on: connection) }
    }
  }

  package func sweepArchives(olderThan seconds: Double) throws -> Int {
    try writing { connection in
      let gone = try connection.read("SELECT id FROM layoutcache.dataset WHERE name IS NULL") {
        try $0.int64(0)
      }
      for dataset in gone { try sweepDataset(dataset, on: connection) }
      try sweepCutEntries(on: connection)
      let archives = try connection.write(
        """
        UPDATE layoutcache.archive SET is_going = true
        WHERE is_going OR (entry IS NULL AND checkpoint IS NULL
          AND begun < now() - make_interval(secs => $1))
        RETURNING id
        """, [.double(seconds)]
      ) { try $0.int64(0) }
      for archive in archives { try sweep(archive, on: connection) }
      // Nodes and connections that are still in use write their rows again.
      for table in ["node", "barrier"] {
        try connection.write(
          "DELETE FROM layoutcache.\(table) WHERE seen < now() - make_interval(secs => $1)",
          [.double(seconds)])
      }
      return archives.count
    }
  }

  /// Deletes an archive marked for deletion with its chunks, some at a time.
  func sweep(_ archive: Int64, on connection: PostgresConnection) throws {
    var count = 1
    while count > 0 {
      count = try connection.write(
        """
        DELETE FROM layoutcache.chunk WHERE archive = $1 AND number < (
          SELECT min(number) FROM layoutcache.chunk WHERE archive = $1) + 64
        """, [.int64(archive)])
    }
    try connection.write(
      "DELETE FROM layoutcache.archive WHERE id = $1 AND is_going", [.int64(archive)])
  }
}
