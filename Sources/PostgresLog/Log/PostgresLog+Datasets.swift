package import LayoutCache
package import LayoutCluster
package import LayoutReplication

// Creating, removing and renaming datasets.

extension PostgresLog {
  private static let create = """
    INSERT INTO layoutcache.dataset AS d (name, begin, chain, at) VALUES ($1, $2, $2, $3)
    ON CONFLICT (name) DO NOTHING RETURNING \(SharedHead.columns)
    """

  /// The archive's row is locked first, as when a later entry names an archive.
  private static let createWithArchive = """
    WITH named AS (
      SELECT id FROM layoutcache.archive WHERE id = $4 AND NOT is_going FOR UPDATE
    ), d AS (
      INSERT INTO layoutcache.dataset (name, begin, before, chain, at, head)
      SELECT $1, $2, $2, \(chain(after: "$2::bytea", "$5")), $3, 1 FROM named
      ON CONFLICT (name) DO NOTHING RETURNING *
    ), kept AS (
      UPDATE layoutcache.archive SET dataset = d.id, entry = 1 FROM d WHERE archive.id = $4
    ), logged AS (
      INSERT INTO layoutcache.log (dataset, first, last, before, chain, name, requests)
      SELECT d.id, 1, 1, d.before, d.chain, $6, $5 FROM d
    )
    SELECT \(SharedHead.columns) FROM d
    """

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
  ) throws -> SharedHead {
    var values: [PostgresValue] = [.text(name), .bytes(chain), .int64(time)]
    let archive = try request.map { try NamedArchive($0.payload).archive.number }
    if let archive, let request {
      values += [.int64(archive), .bytes([request].encoded), .bytes(request.name)]
    }
    while true {
      let made = try writing {
        try $0.write(archive == nil ? Self.create : Self.createWithArchive, values, SharedHead.init)
      }
      if let head = try made.first ?? dataset(named: name) { return head }
      // The dataset was removed or renamed in between, or the archive is deleted.
      if let archive, try isDeleted(archive) {
        throw SharedLogFailure.archiveDeleted("archive \(archive) was deleted")
      }
    }
  }

  package func removeDataset(
    _ id: Int64, named name: String, at position: SharedPosition?
  ) throws -> Bool {
    try writing { connection in
      let count = try connection.write(
        """
        UPDATE layoutcache.dataset SET name = NULL
        WHERE id = $1 AND name = $2 AND chain = coalesce($3, chain)
        """, [.int64(id), .text(name), position.map { .bytes($0.chain) } ?? .null])
      if count == 0 { return false }
      // The dataset is removed. If this sweep fails, a later one continues.
      do { try sweepDataset(id, on: connection) } catch is PostgresError {}
      return true
    }
  }

  package func renameDataset(
    _ id: Int64, tagged tag: [UInt8], to newName: String, tagged newTag: [UInt8],
    at position: SharedPosition?
  ) throws -> Bool {
    try writing { connection in
      do {
        return try connection.write(
          """
          UPDATE layoutcache.dataset SET name = $3, name_tag = $4
          WHERE id = $1 AND name_tag = $2 AND name IS NOT NULL AND chain = coalesce($5, chain)
          """,
          [
            .int64(id), .uuid(tag), .text(newName), .uuid(newTag),
            position.map { .bytes($0.chain) } ?? .null,
          ]) > 0
      } catch let error as PostgresError
        where error.kind == .rejected && error.state == PostgresError.duplicateKey
      {
        return false
      }
    }
  }

  package func templates() throws -> SharedTemplates {
    let found = try confirmed(
      Self.confirming("SELECT templates, template_rows FROM layoutcache.cluster"), []
    ) { SharedTemplates(number: Int(try $0.int64(0)), bytes: try $0.bytes(1)) }
    guard let found = found.first else {
      throw SharedLogFailure.incompatible("the log's row in layoutcache.cluster is missing")
    }
    return found
  }

  package func putTemplates(_ templates: SharedTemplates) throws -> Bool {
    try writing { connection in
      try connection.write(
        """
        UPDATE layoutcache.cluster SET templates = $1, template_rows = $2 WHERE templates = $1 - 1
        """, [.int64(Int64(templates.number)), .bytes(templates.bytes)]) > 0
    }
  }

  /// Deletes the data of a removed dataset, its row last: as long as the row exists, later sweeps
  /// continue. Nothing is added any longer, since appends require the name.
  func sweepDataset(_ id: Int64, on connection: PostgresConnection) throws {
    let archives = try connection.write(
      """
      UPDATE layoutcache.archive SET is_going = true, entry = NULL, checkpoint = NULL
      WHERE dataset = $1 RETURNING id
      """, [.int64(id)]
    ) { try $0.int64(0) }
    for archive in archives { try sweep(archive, on: connection) }
    try deleteEntries(of: id, upTo: .max, olderThan: 0, on: connection)
    try connection.write("DELETE FROM layoutcache.dataset WHERE id = $1", [.int64(id)])
  }

  package func reserveLayoutIDs(_ count: Int) throws -> Int64 {
    try writing { connection in
      let numbers = try connection.write(
        """
        UPDATE layoutcache.cluster SET last_layout = last_layout + $1
        RETURNING last_layout - $1 + 1
        """, [.int64(Int64(count))]
      ) { try $0.int64(0) }
      guard let number = numbers.first else {
        throw PostgresError(.malformed, "the log's row in layoutcache.cluster is missing")
      }
      return number
    }
  }
}
