package import LayoutCache
package import LayoutCluster

// Creating, removing and renaming datasets.

extension PostgresLog {
  package func createDataset(
    named name: String, chain: [UInt8], time: Int64
  ) throws -> SharedHead {
    try writing { connection in
      while true {
        let made = try connection.write(
          """
          INSERT INTO layoutcache.dataset (name, begin, chain, at) VALUES ($1, $2, $2, $3)
          ON CONFLICT (name) DO NOTHING RETURNING \(SharedHead.columns)
          """, [.text(name), .bytes(chain), .int64(time)], SharedHead.init)
        if let made = made.first { return made }
        if let found = try PostgresReader(connection).dataset(named: name) { return found }
        // The dataset was removed or renamed in between.
      }
    }
  }

  /// The archive's row is locked first, as when a later entry names an archive.
  private static let createWithArchive = """
    WITH named AS (
      SELECT id FROM layoutcache.archive WHERE id = $4 AND NOT is_going FOR UPDATE
    ), made AS (
      INSERT INTO layoutcache.dataset (name, begin, chain, at, head, revision)
      SELECT $1, $2, $5, $3, $6, $7 FROM named
      ON CONFLICT (name) DO NOTHING RETURNING *
    ), kept AS (
      UPDATE layoutcache.archive SET dataset = made.id, entry = $6 FROM made WHERE archive.id = $4
    ), logged AS (
      INSERT INTO layoutcache.log
        (dataset, sequence, revision, kind, proposal, payload, at, chain)
      SELECT made.id, $6, $7, $8, $9, $10, $11, $5 FROM made
    )
    SELECT \(SharedHead.columns) FROM made
    """

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry
  ) throws -> SharedHead {
    let archive = try SharedArchive(entry.payload).number
    return try writing { connection in
      while true {
        let made = try connection.write(
          Self.createWithArchive,
          [
            .text(name), .bytes(chain), .int64(time), .int64(archive), .bytes(entry.chain),
            .int64(Int64(entry.sequence)), .int64(Int64(entry.revision)),
            .int16(entry.kind.rawValue), .uuid(entry.proposal), .bytes(entry.payload),
            .int64(entry.time),
          ], SharedHead.init)
        if let made = made.first { return made }
        if let found = try PostgresReader(connection).dataset(named: name) { return found }
        let isThere = try connection.read(
          "SELECT true FROM layoutcache.archive WHERE id = $1 AND NOT is_going", [.int64(archive)]
        ) { try $0.bool(0) }
        if isThere.isEmpty {
          throw SharedLogFailure.archiveDeleted("archive \(archive) was deleted")
        }
      }
    }
  }

  package func removeDataset(_ id: Int64, named name: String) throws -> SharedRemoval {
    try writing { connection in
      let count = try connection.write(
        "UPDATE layoutcache.dataset SET name = NULL WHERE id = $1 AND name = $2",
        [.int64(id), .text(name)])
      if count == 0 { return try self.name(of: id, on: connection) == nil ? .deleted : .renamed }
      // The dataset is removed. If this sweep fails, a later one continues.
      do { try sweepDataset(id, on: connection) } catch is PostgresError {}
      return .removed
    }
  }

  package func renameDataset(
    _ id: Int64, from name: String, to newName: String
  ) throws -> SharedRenaming {
    try writing { connection in
      do {
        let count = try connection.write(
          "UPDATE layoutcache.dataset SET name = $3 WHERE id = $1 AND name = $2",
          [.int64(id), .text(name), .text(newName)])
        if count > 0 { return .renamed }
        // As after an earlier call whose answer was lost.
        let present = try self.name(of: id, on: connection)
        return present.map { $0.utf8.elementsEqual(newName.utf8) } ?? false ? .renamed : .deleted
      } catch let error as PostgresError
        where error.kind == .rejected && error.state == PostgresError.duplicateKey
      {
        return .nameTaken
      }
    }
  }

  /// Returns the present name of a dataset; `nil` if it does not exist.
  private func name(of id: Int64, on connection: PostgresConnection) throws -> String? {
    try connection.read(
      "SELECT name FROM layoutcache.dataset WHERE id = $1 AND name IS NOT NULL", [.int64(id)]
    ) { try $0.text(0) }.first
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
    try deleteEntries(of: id, upTo: .max, on: connection)
    try connection.write("DELETE FROM layoutcache.dataset WHERE id = $1", [.int64(id)])
  }

  package func freshLayoutID() throws -> Int64 {
    try writing { connection in
      let numbers = try connection.write(
        "UPDATE layoutcache.cluster SET last_layout = last_layout + 1 RETURNING last_layout", []
      ) { try $0.int64(0) }
      guard let number = numbers.first else {
        throw PostgresError(.malformed, "the log's row in layoutcache.cluster is missing")
      }
      return number
    }
  }
}
