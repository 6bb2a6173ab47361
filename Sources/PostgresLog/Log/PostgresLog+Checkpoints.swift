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
    try writing { connection in
      do {
        // The row that has the position must still be there, or the dataset must be there.
        return try connection.write(
          """
          WITH published AS (
            UPDATE layoutcache.archive SET dataset = $2, checkpoint = $3, chain = $4, digest = $5
            WHERE id = $1 AND NOT is_going AND EXISTS (
              SELECT FROM layoutcache.dataset AS d WHERE d.id = $2 AND name IS NOT NULL
                AND ($3 = d.head AND d.chain = $4 OR $3 = 0 AND d.begin = $4 OR $4 = (
                  SELECT log.chain FROM layoutcache.log
                  WHERE log.dataset = $2 AND last >= $3 ORDER BY last LIMIT 1)))
            RETURNING $2
          )
          UPDATE layoutcache.dataset SET covered = greatest(covered, $6), claimed = NULL
          WHERE id = $2 AND EXISTS (SELECT FROM published)
          """,
          [
            .int64(archive), .int64(position.dataset), .int64(Int64(position.sequence)),
            .bytes(position.chain), .bytes(digest), .int64(Int64(cost)),
          ]) > 0
      } catch let error as PostgresError
        where error.kind == .rejected && error.state == PostgresError.duplicateKey
      {
        return false
      }
    }
  }
}
