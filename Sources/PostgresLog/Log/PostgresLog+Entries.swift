import LayoutCache
package import LayoutCluster
import LayoutReplication

// Appending requests to datasets.

extension PostgresLog {
  /// The chain after requests. Nodes only compare chains.
  static func chain(after before: String, _ requests: String) -> String {
    "substring(sha256(\(before) || \(requests)) FROM 1 FOR 16)"
  }

  /// An append takes the numbers after the head of its dataset, whose row it locks. Several datasets
  /// share one statement: one transaction, one wait for the standby. An archive that a request names
  /// is retained until the entry is cut; its row is locked, so that no sweep deletes it.
  ///
  /// - Parameter locking: Waits for rows that another session has locked, or leaves them out.
  private static func append(locking: String = "", namingArchives: Bool = false) -> String {
    let named = """
      , named AS (
        SELECT id FROM layoutcache.archive WHERE id = ANY ($8) AND NOT is_going FOR UPDATE
      )
      """
    let kept = """
      , kept AS (
        UPDATE layoutcache.archive SET dataset = moved.id, entry = last FROM moved
        WHERE archive.id = moved.archive
      )
      """
    return """
      WITH asked AS (
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[],
          $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[], $10::bytea[]) AS a (
            id, count, cost, epoch, requests, name, dataset, archive, head, chain)
      )\(namingArchives ? named : ""), free AS (
        SELECT id FROM layoutcache.dataset WHERE id = ANY ($1) FOR NO KEY UPDATE \(locking)
      ), moved AS (
        UPDATE layoutcache.dataset AS d
        SET head = d.head + a.count, cost = d.cost + a.cost, before = d.chain,
          chain = \(chain(after: "d.chain", "a.requests"))
        FROM free JOIN asked AS a ON a.id = free.id
        WHERE d.id = a.id AND d.epoch = a.epoch
          AND d.name = coalesce(convert_from(a.dataset, 'UTF8'), d.name)
          AND (a.chain IS NULL OR d.head = a.head AND d.chain = a.chain)
          \(namingArchives ? "AND EXISTS (SELECT FROM named WHERE named.id = a.archive)" : "")
        RETURNING d.id, d.head - a.count + 1 AS first, d.head AS last, d.before, d.chain, a.name,
          a.requests, a.archive
      )\(namingArchives ? kept : ""), added AS (
        INSERT INTO layoutcache.log (dataset, first, last, before, chain, name, requests)
        SELECT id, first, last, before, chain, name, requests FROM moved
      )
      SELECT id, first, before, chain FROM free LEFT JOIN moved USING (id)
      """
  }

  private static let appendAlone = append()
  private static let appendArchive = append(namingArchives: true)
  private static let appendGathered = append(locking: "SKIP LOCKED")

  private static let found = confirming(
    "SELECT dataset, first, before, chain FROM layoutcache.log WHERE name = $2")

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    // One that names an archive locks more than its dataset.
    let areGathered = appends.count > 1 && Set(appends.map(\.dataset)).count == appends.count
    guard areGathered, appends.allSatisfy({ $0.archive == nil }) else {
      return appends.map { each in Result { try append(each) } }
    }
    let outcomes = Result { try write(Self.appendGathered, appends) }
    // The statement's failure is that of each append.
    return appends.indices.map { index in outcomes.map { $0[index] } }
  }

  private func append(_ append: SharedAppend) throws -> SharedAppending {
    let isArchive = append.archive != nil
    let appending = try write(isArchive ? Self.appendArchive : Self.appendAlone, [append])[0]
    if case .appended = appending { return appending }
    // One that was made before is found, even if the dataset has another name now.
    let found = try confirmed(Self.found, [.bytes(append.requests[0].name)]) {
      try SharedAppending($0)
    }
    if let found = found.first { return found }
    if let archive = append.archive, try isDeleted(archive) {
      throw SharedLogFailure.archiveDeleted("an archive that an entry names was deleted")
    }
    return .refused
  }

  private func write(
    _ statement: String, _ appends: [SharedAppend]
  ) throws -> [SharedAppending] {
    let values: [PostgresValue] = [
      .int64s(appends.map(\.dataset)), .int64s(appends.map { Int64($0.requests.count) }),
      .int64s(appends.map { Int64($0.cost) }), .int64s(appends.map { Int64($0.epoch) }),
      .byteStrings(appends.map(\.requests.encoded)), .byteStrings(appends.map(\.requests[0].name)),
      .byteStrings(appends.map { $0.name.map { Array($0.utf8) } }),
      .int64s(appends.map { $0.archive ?? 0 }),
      .int64s(appends.map { Int64($0.position?.sequence ?? 0) }),
      .byteStrings(appends.map(\.position?.chain)),
    ]
    let found = try writing { connection in
      do {
        return try connection.write(statement, values) {
          (try $0.int64(0), try SharedAppending($0))
        }
      } catch let error as PostgresError
        where error.kind == .rejected && error.state == PostgresError.duplicateKey
      {
        // One was made before; nothing is written.
        return []
      }
    }
    let byID = Dictionary(found) { first, _ in first }
    return appends.map { byID[$0.dataset] ?? .locked }
  }
}

extension SharedAppend {
  /// The archive that the append's request names.
  fileprivate var archive: Int64? { requests[0].archive?.archive.number }
}

extension SharedAppending {
  /// - Parameter row: A dataset, and what was appended to it, if anything.
  fileprivate init(_ row: PostgresRow) throws {
    self =
      row.isNull(1)
      ? .refused
      : .appended(first: try row.int(1), before: try row.bytes(2), chain: try row.bytes(3))
  }
}
