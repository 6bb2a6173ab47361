import LayoutCache
package import LayoutCluster

// Appending to several datasets in one statement: one transaction, one wait for the standby.

extension PostgresLog {
  // As for one dataset, each row is updated only if it is as the proposer expects. Rows are
  // locked in the order of their ids, as far as the planner preserves it. If two calls deadlock
  // anyway, the server aborts one, and that call appends to its datasets one by one.

  private static let appendGathered = """
    WITH won AS (
      UPDATE layoutcache.dataset
      SET head = next_head, revision = next_revision, chain = next_chain
      FROM unnest(
        $1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[],
        $7::bytea[]) AS wanted (
          id, epoch, head, chain, next_head, next_revision, next_chain)
      WHERE dataset.id = ANY ($1) AND dataset.id = wanted.id AND dataset.epoch = wanted.epoch
        AND dataset.head = wanted.head AND dataset.chain = wanted.chain AND name IS NOT NULL
      RETURNING dataset.id
    ), added AS (
      INSERT INTO layoutcache.log
        (dataset, sequence, revision, kind, proposal, request, payload, at, chain)
      SELECT entry.* FROM won JOIN unnest(
        $8::bigint[], $9::bigint[], $10::bigint[], $11::smallint[], $12::uuid[], $13::bytea[],
        $14::bytea[], $15::bigint[], $16::bytea[]) AS entry (
          dataset, sequence, revision, kind, proposal, request, payload, at, chain)
      ON won.id = entry.dataset
    )
    SELECT id FROM won
    """

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    let isSimple = appends.allSatisfy { $0.entries.allSatisfy { $0.kind != .archive } }
    do {
      if appends.count > 1, isSimple, let outcomes = try appendGathered(appends) {
        return outcomes.map { .success($0) }
      }
    } catch {
      // The statement's failure is that of each append.
      return appends.map { _ in .failure(error) }
    }
    return appends.map { each in
      Result { try append(each.entries, after: each.position, epoch: each.epoch) }
    }
  }

  /// - Returns: `nil` if the server rejects the statement because of one append, such as one with
  ///   a proposal already in the log; nothing was written then.
  private func appendGathered(_ appends: [SharedAppend]) throws -> [SharedAppending]? {
    let sorted = appends.sorted { $0.position.dataset < $1.position.dataset }
    let values = Self.values(of: sorted)
    return try writing { connection in
      let won: Set<Int64>
      do {
        won = Set(try connection.write(Self.appendGathered, values) { try $0.int64(0) })
      } catch let error as PostgresError where error.kind == .rejected {
        return nil
      }
      let lost = appends.map(\.position.dataset).filter { !won.contains($0) }
      let present = lost.isEmpty ? [] : try PostgresReader(connection).heads(of: lost)
      let isPresent = Set(present.map(\.position.dataset))
      return appends.map(\.position.dataset).map { id in
        won.contains(id) ? .appended : isPresent.contains(id) ? .behind : .deleted
      }
    }
  }

  private static func values(of appends: [SharedAppend]) -> [PostgresValue] {
    let lasts = appends.map { append in
      guard let last = append.entries.last else { preconditionFailure("nothing to append") }
      return last
    }
    let entries = appends.flatMap(\.entries)
    return [
      .int64s(appends.map(\.position.dataset)), .int64s(appends.map { Int64($0.epoch) }),
      .int64s(appends.map { Int64($0.position.sequence) }),
      .byteStrings(appends.map(\.position.chain)),
      .int64s(lasts.map { Int64($0.sequence) }), .int64s(lasts.map { Int64($0.revision) }),
      .byteStrings(lasts.map(\.chain)),
      .int64s(appends.flatMap { each in each.entries.map { _ in each.position.dataset } }),
      .int64s(entries.map { Int64($0.sequence) }), .int64s(entries.map { Int64($0.revision) }),
      .int16s(entries.map(\.kind.rawValue)), .uuids(entries.map(\.proposal)),
      .byteStrings(entries.map(\.request)), .byteStrings(entries.map(\.payload)),
      .int64s(entries.map(\.time)), .byteStrings(entries.map(\.chain)),
    ]
  }
}
