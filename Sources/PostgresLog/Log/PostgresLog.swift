package import LayoutCache
package import LayoutCluster

/// A shared log in PostgreSQL.
///
/// Unless documented otherwise, each call is one statement and one transaction. No transaction
/// stays open across round trips, so none delays the removal of old rows. Sessions wait for the
/// synchronous standbys, if the server has any, whatever the database's settings are
/// (``PostgresTarget``).
///
/// A write that the server rejects has no effect. A write throws `unknown`, and may have been
/// applied or still be applied later, if it was cancelled while waiting for a standby, its
/// connection was lost, or it was not answered in time.
///
/// Any result of a write except success comes from rows that no barrier has confirmed, and must
/// be confirmed with ``SharedLog/read(node:_:)``.
///
/// Deletions run in steps of bounded size. One short statement first marks what must be deleted.
/// If the process ends before the deletion does, ``sweepArchives(olderThan:)`` continues it.
package final class PostgresLog: SharedLog {
  let pool: PostgresPool
  private let options: PostgresOptions
  /// The name of this process in the node's row.
  private let boot = [UInt8].randomName()

  /// Creates a log without connecting yet, so that a node can start and answer from its file
  /// while the log is unavailable.
  ///
  /// - Parameter url: A URL or connection string in the syntax of PostgreSQL's client library,
  ///   with one or more hosts.
  /// - Throws: ``SharedLogFailure/misconfigured(_:)`` if `url` cannot be parsed.
  package init(_ url: String, options: PostgresOptions = PostgresOptions()) throws {
    self.options = options
    pool = try Self.reading {
      PostgresPool(
        try PostgresTarget(url: url, statementTimeout: options.statementTimeout), options,
        greet: PostgresSchema.check)
    }
  }

  /// Closes the connections. Calls then throw `unavailable`.
  package func close() { pool.close() }

  // MARK: Connections

  /// Runs `body`, which only reads, on a connection of the pool.
  func reading<R>(_ body: (PostgresReader) throws -> R) throws -> R {
    try Self.reading { try pool.use { try body(PostgresReader($0)) } }
  }

  /// Runs `body`, which changes something, on a connection of the pool.
  func writing<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
    do {
      return try pool.use(body)
    } catch let error as PostgresError {
      throw error.failure(isWrite: true)
    }
  }

  /// Runs `body`, which only reads, and maps PostgreSQL's errors to the log's.
  static func reading<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error.failure(isWrite: false)
    }
  }

  // MARK: Confirmed reads

  package func read<R>(
    node: [UInt8], _ body: (any SharedLogReader) throws -> R
  ) throws -> R {
    try Self.reading {
      try pool.use { connection in
        let result = try body(PostgresReader(connection))
        try barrier(node, on: connection)
        return result
      }
    }
  }

  package func barrier(node: [UInt8]) throws {
    // A barrier with an unknown outcome is repeated, which does no harm.
    try Self.reading { try pool.use { try barrier(node, on: $0) } }
  }

  /// Passes a barrier. If the server does not confirm it, the connection is closed, so that
  /// another host is tried: a deposed primary continues to answer, and a write waiting there for
  /// a standby keeps the node's row locked.
  private func barrier(_ node: [UInt8], on connection: PostgresConnection) throws {
    do {
      try connection.write(
        """
        INSERT INTO layoutcache.node (id, boot, rules_min, rules_max, title, seen)
        VALUES ($1, $2, $3, $4, $5, now())
        ON CONFLICT (id) DO UPDATE
        SET boot = $2, rules_min = $3, rules_max = $4, title = $5, seen = now()
        """,
        [
          .uuid(node), .uuid(boot), .int32(Int32(options.rules.lowerBound)),
          .int32(Int32(options.rules.upperBound)), .text(options.title),
        ])
    } catch {
      connection.close()
      throw error
    }
  }

  // MARK: Reading without a barrier

  package func info() throws -> SharedLogInfo { try reading { try $0.info() } }

  package func dataset(named name: String) throws -> SharedHead? {
    try reading { try $0.dataset(named: name) }
  }

  package func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    try reading { try $0.datasets(after: name, countMax: countMax) }
  }

  package func heads(of datasets: [Int64]) throws -> [SharedHead] {
    try reading { try $0.heads(of: datasets) }
  }

  package func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry] {
    try reading { try $0.entries(of: dataset, after: sequence, bytesMax: bytesMax) }
  }

  package func sequence(of proposal: [UInt8], in dataset: Int64) throws -> Int? {
    try reading { try $0.sequence(of: proposal, in: dataset) }
  }

  package func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try reading { try $0.chunk(number, of: archive) }
  }

  package func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try reading { try $0.checkpoints(of: dataset) }
  }
}
