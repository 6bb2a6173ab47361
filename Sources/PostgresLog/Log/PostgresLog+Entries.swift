package import LayoutCache
package import LayoutCluster

// Appending entries to a dataset.

extension PostgresLog {
  // The dataset's row is updated only if it is as the proposer expects. A second proposer waits
  // for the first, finds another head, and writes nothing. A unique index would not suffice: it
  // would admit a proposer that began before an epoch ended.

  private static let won = """
    won AS (
      UPDATE layoutcache.dataset SET head = $7, chain = $5, revision = $6
      WHERE id = $1 AND epoch = $2 AND head = $3 AND chain = $4 AND name IS NOT NULL
    """

  private static let rows = """
    INSERT INTO layoutcache.log
      (dataset, sequence, revision, kind, proposal, request, payload, at, chain)
    SELECT won.id, entry.* FROM won, unnest(
      $8::bigint[], $9::bigint[], $10::smallint[], $11::uuid[], $12::bytea[], $13::bytea[],
      $14::bigint[], $15::bytea[]) AS entry
    """

  private static let append = "WITH \(won) RETURNING id)\n\(rows)"

  /// The same for a single entry, without arrays.
  private static let appendOne = """
    WITH \(won) RETURNING id)
    INSERT INTO layoutcache.log
      (dataset, sequence, revision, kind, proposal, request, payload, at, chain)
    SELECT id, $7, $6, $8, $9, $10, $11, $12, $5 FROM won
    """

  /// Archives named by the entries are retained until the entries are cut. Their rows are locked
  /// first: if a sweep deletes one before that, nothing is written.
  private static let appendNamingArchives = """
    WITH named AS (
      SELECT id FROM layoutcache.archive WHERE id = ANY ($16) AND NOT is_going FOR UPDATE
    ), \(won) AND (SELECT count(*) FROM named) = cardinality($16) RETURNING id),
    kept AS (
      UPDATE layoutcache.archive SET dataset = $1, entry = by.sequence
      FROM unnest($16::bigint[], $17::bigint[]) AS by (id, sequence), won
      WHERE archive.id = by.id
    )
    \(rows)
    """

  package func append(
    _ entries: [SharedEntry], after position: SharedPosition, epoch: Int
  ) throws -> SharedAppending {
    guard let last = entries.last else { preconditionFailure("nothing to append") }
    assert(
      entries.map(\.sequence).elementsEqual(
        (position.sequence + 1)..<(position.sequence + 1 + entries.count)),
      "the sequences do not continue from the position")
    let archives = try entries.filter { $0.kind == .archive }.map {
      (number: try SharedArchive($0.payload).number, sequence: Int64($0.sequence))
    }
    var values: [PostgresValue] = [
      .int64(position.dataset), .int32(Int32(clamping: epoch)),
      .int64(Int64(position.sequence)), .bytes(position.chain), .bytes(last.chain),
      .int64(Int64(last.revision)), .int64(Int64(last.sequence)),
    ]
    let sql: String
    if entries.count == 1 && archives.isEmpty {
      sql = Self.appendOne
      values += [
        .int16(last.kind.rawValue), .uuid(last.proposal), last.request.map { .bytes($0) } ?? .null,
        .bytes(last.payload), .int64(last.time),
      ]
    } else {
      sql = archives.isEmpty ? Self.append : Self.appendNamingArchives
      values += [
        .int64s(entries.map { Int64($0.sequence) }), .int64s(entries.map { Int64($0.revision) }),
        .int16s(entries.map(\.kind.rawValue)), .uuids(entries.map(\.proposal)),
        .byteStrings(entries.map(\.request)), .byteStrings(entries.map(\.payload)),
        .int64s(entries.map(\.time)), .byteStrings(entries.map(\.chain)),
      ]
      if !archives.isEmpty {
        values += [.int64s(archives.map(\.number)), .int64s(archives.map(\.sequence))]
      }
    }
    return try writing { connection in
      do {
        if try connection.write(sql, values) > 0 { return .appended }
      } catch let error as PostgresError
        where error.kind == .rejected && error.state == PostgresError.duplicateKey
      {
        return .repeated
      }
      // Another proposer came first. It does not matter how late this is read.
      let reader = PostgresReader(connection)
      guard let head = try reader.heads(of: [position.dataset]).first else { return .deleted }
      if !archives.isEmpty, head.position == position, head.epoch == epoch {
        throw SharedLogFailure.archiveDeleted("an archive that an entry names was deleted")
      }
      return .behind
    }
  }
}
