// Deleting old entries.

extension PostgresLog {
  package func cut(_ dataset: Int64, upTo sequence: Int) throws {
    try writing { connection in
      // Recorded before anything is deleted: a follower that lacks entries must know why.
      let cut = try connection.write(
        """
        UPDATE layoutcache.dataset SET cut = greatest(cut, least($2, (
          SELECT coalesce(max(checkpoint), 0) FROM layoutcache.archive WHERE dataset = $1)))
        WHERE id = $1 AND name IS NOT NULL RETURNING cut
        """, [.int64(dataset), .int64(Int64(sequence))]
      ) { try $0.int64(0) }
      guard let cut = cut.first else { return }
      let archives = try connection.write(
        """
        UPDATE layoutcache.archive SET entry = NULL, is_going = checkpoint IS NULL
        WHERE dataset = $1 AND entry <= $2 RETURNING id, is_going
        """, [.int64(dataset), .int64(cut)]
      ) { (id: try $0.int64(0), isGoing: try $0.bool(1)) }
      try deleteEntries(of: dataset, upTo: cut, olderThan: Self.namedSeconds, on: connection)
      for archive in archives where archive.isGoing { try sweep(archive.id, on: connection) }
    }
  }

  /// The time for which the name of an append is known, even if its entries are cut: no node makes
  /// an append again after so long.
  private static let namedSeconds = 3600.0

  /// Deletes the rows that were too young when they were cut.
  func sweepCutEntries(on connection: PostgresConnection) throws {
    let datasets = try connection.read(
      """
      SELECT id, cut FROM layoutcache.dataset AS d WHERE cut >= (
        SELECT last FROM layoutcache.log WHERE dataset = d.id ORDER BY last LIMIT 1)
      """
    ) { (id: try $0.int64(0), cut: try $0.int64(1)) }
    for (id, cut) in datasets {
      try deleteEntries(of: id, upTo: cut, olderThan: Self.namedSeconds, on: connection)
    }
  }

  /// Deletes the rows whose entries are all cut, in steps, with smaller steps if the server cancels
  /// a statement because the entries are large.
  ///
  /// - Parameter seconds: The least age of a row; later ones are deleted by a later call.
  func deleteEntries(
    of dataset: Int64, upTo sequence: Int64, olderThan seconds: Double,
    on connection: PostgresConnection
  ) throws {
    var step: Int64 = 1000
    while true {
      do {
        let count = try connection.write(
          """
          DELETE FROM layoutcache.log WHERE dataset = $1 AND last <= $2 AND last < $3 + (
            SELECT min(last) FROM layoutcache.log WHERE dataset = $1)
            AND at <= now() - make_interval(secs => $4)
          """, [.int64(dataset), .int64(sequence), .int64(step), .double(seconds)])
        if count == 0 { return }
      } catch let error as PostgresError
        where error.kind == .rejected && error.state == PostgresError.cancelled && step > 1
      {
        step /= 10
      }
    }
  }
}
