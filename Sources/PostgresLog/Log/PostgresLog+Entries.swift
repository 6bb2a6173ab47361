import LayoutCache
package import LayoutCluster
import LayoutReplication

// Appending entries to datasets.

extension PostgresLog {
  // The dataset's row is updated only if it is as the proposer expects. A second proposer waits
  // for the first, finds another head, and writes nothing. A unique index would not suffice: it
  // would admit a proposer that began before an epoch ended.

  private static let won = """
    won AS (
      UPDATE layoutcache.dataset
      SET head = $5, chain = $6, revision = $7, cost = cost + $8
      WHERE id = $1 AND epoch = $2 AND head = $3 AND chain = $4 AND name = coalesce($10::text, name)
    """

  private static let row = """
    INSERT INTO layoutcache.log (dataset, first, last, chain, entries)
    SELECT id, $3 + 1, $5, $6, $9 FROM won
    """

  private static let append = "WITH \(won) RETURNING id)\n\(row)"

  /// Archives named by the entries are retained until the entries are cut. Their rows are locked
  /// first: if a sweep deletes one before that, nothing is written.
  private static let appendNamingArchives = """
    WITH named AS (
      SELECT id FROM layoutcache.archive WHERE id = ANY ($11) AND NOT is_going FOR UPDATE
    ), \(won) AND (SELECT count(*) FROM named) = cardinality($11) RETURNING id),
    kept AS (
      UPDATE layoutcache.archive SET dataset = $1, entry = by.sequence
      FROM unnest($11::bigint[], $12::bigint[]) AS by (id, sequence), won
      WHERE archive.id = by.id
    )
    \(row)
    """

  /// Several datasets share one statement: one transaction, one wait for the standby. Rows that
  /// another session has locked are left out, so that no dataset waits for another.
  private static let appendGathered = """
    WITH free AS (
      SELECT id FROM layoutcache.dataset WHERE id = ANY ($1) FOR NO KEY UPDATE SKIP LOCKED
    ), won AS (
      UPDATE layoutcache.dataset AS d
      SET head = next_head, chain = next_chain, revision = next_revision, cost = d.cost + w.cost
      FROM free JOIN unnest(
        $1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[],
        $7::bigint[], $8::bigint[], $9::bytea[], $10::bytea[]) AS w (
          id, epoch, head, chain, next_head, next_chain, next_revision, cost, entries, named)
        ON w.id = free.id
      WHERE d.id = w.id AND d.epoch = w.epoch AND d.head = w.head AND d.chain = w.chain
        AND d.name = coalesce(convert_from(w.named, 'UTF8'), d.name)
      RETURNING d.id, w.head + 1 AS first, next_head AS last, next_chain, w.entries
    ), added AS (
      INSERT INTO layoutcache.log (dataset, first, last, chain, entries) SELECT * FROM won
    )
    SELECT free.id, won.id IS NOT NULL FROM free LEFT JOIN won ON won.id = free.id
    """

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    // An append that names archives locks more than its dataset.
    let isShared = appends.map { $0.entries.allSatisfy { $0.kind != .archive } }
    let shared = zip(appends, isShared).filter(\.1).map(\.0)
    guard shared.count > 1 else { return appends.map { each in Result { try append(each) } } }
    let outcomes = Result { try appendGathered(shared) }
    var sharedIndex = 0
    return zip(appends, isShared).map { each, isShared in
      guard isShared else { return Result { try append(each) } }
      defer { sharedIndex += 1 }
      // The statement's failure is that of each append.
      return outcomes.map { $0[sharedIndex] }
    }
  }

  private func appendGathered(_ appends: [SharedAppend]) throws -> [SharedAppending] {
    let lasts = appends.map(\.last)
    let values: [PostgresValue] = [
      .int64s(appends.map(\.position.dataset)), .int64s(appends.map { Int64($0.epoch) }),
      .int64s(appends.map { Int64($0.position.sequence) }),
      .byteStrings(appends.map(\.position.chain)),
      .int64s(lasts.map { Int64($0.sequence) }), .byteStrings(lasts.map(\.chain)),
      .int64s(lasts.map { Int64($0.revision) }), .int64s(appends.map { Int64($0.cost) }),
      .byteStrings(appends.map(\.encoded)),
      .byteStrings(appends.map { $0.name.map { Array($0.utf8) } }),
    ]
    let found = try writing {
      try $0.write(Self.appendGathered, values) { (id: try $0.int64(0), hasWon: try $0.bool(1)) }
    }
    let hasWon = Dictionary(found.map { ($0.id, $0.hasWon) }) { first, _ in first }
    return appends.map { hasWon[$0.position.dataset].map { $0 ? .appended : .behind } ?? .locked }
  }

  private func append(_ append: SharedAppend) throws -> SharedAppending {
    let last = append.last
    let archives = try append.entries.filter { $0.kind == .archive }.map {
      (number: try SharedArchive($0.payload).number, sequence: Int64($0.sequence))
    }
    var values: [PostgresValue] = [
      .int64(append.position.dataset), .int32(Int32(clamping: append.epoch)),
      .int64(Int64(append.position.sequence)), .bytes(append.position.chain),
      .int64(Int64(last.sequence)), .bytes(last.chain), .int64(Int64(last.revision)),
      .int64(Int64(append.cost)), .bytes(append.encoded),
      append.name.map { .text($0) } ?? .null,
    ]
    if archives.isEmpty {
      return try writing { try $0.write(Self.append, values) > 0 ? .appended : .behind }
    }
    values += [.int64s(archives.map(\.number)), .int64s(archives.map(\.sequence))]
    if try writing({ try $0.write(Self.appendNamingArchives, values) }) > 0 { return .appended }
    // Another proposer came first, or an archive is deleted.
    let head = try look(at: [append.position.dataset]).heads.first
    if let head, head.position == append.position, head.epoch == append.epoch,
      append.name.map({ $0.utf8.elementsEqual(head.name.utf8) }) ?? true
    {
      throw SharedLogFailure.archiveDeleted("an archive that an entry names was deleted")
    }
    return .behind
  }
}

extension SharedAppend {
  fileprivate var last: SharedEntry {
    guard let last = entries.last else { preconditionFailure("nothing to append") }
    return last
  }

  /// The entries as a row has them.
  fileprivate var encoded: [UInt8] {
    assert(
      entries.map(\.sequence).elementsEqual(
        (position.sequence + 1)..<(position.sequence + 1 + entries.count)),
      "the sequences do not continue from the position")
    return entries.encoded(after: position.chain)
  }
}
