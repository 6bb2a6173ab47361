package import LayoutCache
package import LayoutCluster

/// A log that nodes share, in PostgreSQL.
///
/// Every call is one statement and one transaction, if it does not say otherwise: no
/// transaction is open while anything crosses the network, so that none holds the removal of
/// old rows back. Sessions are set to wait for the standbys, where the server has any that
/// count, whatever the database is set to (``PostgresTarget``).
///
/// A write that the server refuses has done nothing. One that was cancelled while it waited for
/// a standby, whose connection was lost or that was not answered in time may have been done, or
/// may come yet, and throws `unknown`.
///
/// What a write says beyond that it is done comes from rows that no barrier has confirmed: that
/// it is behind, gone, taken or repeated is to be looked up by
/// ``SharedLog/read(node:_:)``.
///
/// Deletes go in steps of bounded size. What is to be deleted is first marked, in one short
/// statement; ``sweepArchives(olderThan:)`` continues with what was marked by whoever did not live
/// to the end of it.
package final class PostgresLog: SharedLog {
  let pool: PostgresPool
  private let options: PostgresOptions
  /// A name of this process, as the node's row has it.
  private let boot = [UInt8].randomName()

  /// Connects to nothing yet: a node starts, and answers from what it has, while the log is
  /// away.
  ///
  /// - Parameter url: As PostgreSQL's client library reads it, with one host or more.
  /// - Throws: ``SharedLogFailure/unavailable(_:)`` for a text that is no such URL.
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

  /// Runs what only reads, on its own connection.
  func reading<R>(_ body: (PostgresReader) throws -> R) throws -> R {
    try Self.reading { try pool.use { try body(PostgresReader($0)) } }
  }

  /// Runs a statement that changes something, on its own connection.
  func writing<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
    do {
      return try pool.use(body)
    } catch let error as PostgresError {
      throw error.failure(isWrite: true)
    }
  }

  /// Says in the log's words why reading has failed.
  static func reading<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error.failure(isWrite: false)
    }
  }

  // MARK: What is believed

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
    // One that is not known to be done is passed again: nobody is the worse for it.
    try Self.reading { try pool.use { try barrier(node, on: $0) } }
  }

  /// A server that does not confirm is left, for another host if there is one: a deposed
  /// primary continues answering, and what waits there for a standby keeps the node's row locked.
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
