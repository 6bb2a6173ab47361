package import LayoutCache
import LayoutCluster
import LayoutReplication

// Making checkpoints.

extension PostgresLog {
  package func claimCheckpoint(of dataset: Int64, for seconds: Double) throws -> Bool {
    try writing {
      try $0.write(
        """
        UPDATE layoutcache.dataset SET claimed = now() + make_interval(secs => $2)
        WHERE id = $1 AND name IS NOT NULL AND (claimed IS NULL OR claimed < now())
        """, [.int64(dataset), .double(seconds)]) > 0
    }
  }

  package func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8], covering cost: Int
  ) throws -> Bool {
    guard let row = try rowEnd(at: position) else { return false }
    return try writing { connection in
      do {
        // The row that has the position must still be there, or the dataset must be there.
        return try connection.write(
          """
          WITH published AS (
            UPDATE layoutcache.archive SET dataset = $2, checkpoint = $3, chain = $4, digest = $5
            WHERE id = $1 AND NOT is_going AND EXISTS (
              SELECT FROM layoutcache.dataset AS d WHERE d.id = $2 AND name IS NOT NULL
                AND ($6 = d.head AND d.chain = $7 OR $6 = 0 AND d.begin = $7 OR EXISTS (
                  SELECT FROM layoutcache.log
                  WHERE log.dataset = $2 AND last = $6 AND log.chain = $7)))
            RETURNING $2
          )
          UPDATE layoutcache.dataset SET covered = greatest(covered, $8), claimed = NULL
          WHERE id = $2 AND EXISTS (SELECT FROM published)
          """,
          [
            .int64(archive), .int64(position.dataset), .int64(Int64(position.sequence)),
            .bytes(position.chain), .bytes(digest), .int64(Int64(row.sequence)), .bytes(row.chain),
            .int64(Int64(cost)),
          ]) > 0
      } catch let error as PostgresError
        where error.kind == .rejected && error.state == PostgresError.duplicateKey
      {
        return false
      }
    }
  }

  /// Returns the end of the append that a position belongs to; `nil` if the log does not contain
  /// the position.
  private func rowEnd(at position: SharedPosition) throws -> SharedPosition? {
    let found = try tail(of: position.dataset, after: position.sequence - 1, bytesMax: 1)
    guard let found else { return nil }
    if position.sequence == 0 { return found.head.begin == position.chain ? position : nil }
    if found.head.position == position { return position }
    guard let first = found.entries.first, first.sequence == position.sequence,
      first.chain == position.chain, let last = found.entries.last
    else { return nil }
    return SharedPosition(dataset: position.dataset, sequence: last.sequence, chain: last.chain)
  }
}
