import LayoutCache
package import LayoutCluster
import LayoutReplication
import Synchronization

/// A shared log in PostgreSQL.
///
/// Unless documented otherwise, each call is one statement and one transaction. No transaction
/// stays open across round trips, so none delays the removal of old rows. Sessions wait for the
/// synchronous standbys, if the server has any, whatever the database's settings are
/// (``PostgresTarget``).
///
/// A read writes a row in the same statement, so that it waits for the standby as a write does.
///
/// A write that the server rejects has no effect. A write throws `unknown`, and may have been
/// applied or still be applied later, if it was cancelled while waiting for a standby, its
/// connection was lost, or it was not answered in time.
///
/// Deletions run in steps of bounded size. One short statement first marks what must be deleted.
/// If the process ends before the deletion does, ``sweepArchives(olderThan:)`` continues it.
package final class PostgresLog: SharedLog {
  let pool: PostgresPool
  private let options: PostgresOptions
  /// The identity of this process in the node's row.
  private let boot = [UInt8].randomName()
  /// Whether the node's row has had this process's ``boot``.
  private let isIntroduced = Mutex(false)

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

  /// Returns a statement that runs a query and writes the connection's row.
  ///
  /// - Parameter query: Its parameters are numbered from 2.
  static func confirming(_ query: String) -> String {
    """
    WITH barrier AS (
      INSERT INTO layoutcache.barrier (connection, seen) VALUES ($1, now())
      ON CONFLICT (connection) DO UPDATE SET seen = now()
    )
    \(query)
    """
  }

  /// Runs a statement made by ``confirming(_:)``.
  func confirmed<Value>(
    _ sql: String, _ values: [PostgresValue], _ body: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    try confirmed { try $0.write(sql, [.uuid($0.name)] + values, body) }
  }

  /// Runs a read that writes something. If the server cannot confirm it, the connection is
  /// closed, so that another host is tried: a deposed primary continues to answer. A statement
  /// that the server has rejected says nothing about other statements.
  private func confirmed<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
    // A read with an unknown outcome is repeated, which does no harm.
    try Self.reading {
      try pool.use { connection in
        do {
          return try body(connection)
        } catch let error as PostgresError {
          if case .unavailable = error.failure(isWrite: false) { connection.close() }
          throw error
        }
      }
    }
  }

  /// Writes the node's row, which confirms the read. The first poll of a process takes the name
  /// from the process that had it before; later ones show whether another has taken it.
  private static let look = """
    WITH me AS (
      INSERT INTO layoutcache.node AS n (id, boot, rules_min, rules_max, title, seen)
      VALUES (md5($4)::uuid, $1, $2, $3, $4, now())
      ON CONFLICT (id) DO UPDATE
      SET boot = CASE WHEN $5 THEN n.boot ELSE excluded.boot END, rules_min = excluded.rules_min,
        rules_max = excluded.rules_max, title = excluded.title, seen = now()
      RETURNING boot
    )
    SELECT \(SharedHead.columns), format_min, format, incarnation, rules,
      current_setting('synchronous_standby_names') <> '', boot, templates
    FROM me CROSS JOIN layoutcache.cluster
      LEFT JOIN layoutcache.dataset AS d ON d.id = ANY ($6) AND d.name IS NOT NULL
    """

  package func look(at datasets: [Int64]) throws -> SharedLook {
    let values: [PostgresValue] = [
      .uuid(boot), .int32(Int32(options.rules.lowerBound)), .int32(Int32(options.rules.upperBound)),
      .text(options.title), .bool(isIntroduced.withLock { $0 }), .int64s(datasets),
    ]
    let (boot, end) = (boot, SharedHead.columnCount)
    let rows = try confirmed { connection in
      try connection.write(Self.look, values) { row in
        try PostgresSchema.check(try row.int(end)...max(try row.int(end), try row.int(end + 1)))
        let info = SharedLogInfo(
          incarnation: try row.bytes(end + 2), rules: try row.int(end + 3),
          isReplicated: try row.bool(end + 4), isNameReplaced: try row.bytes(end + 5) != boot,
          templates: Int(try row.int64(end + 6)))
        return (info: info, head: row.isNull(0) ? nil : try SharedHead(row))
      }
    }
    guard let info = rows.first?.info else {
      throw SharedLogFailure.incompatible("the log's row in layoutcache.cluster is missing")
    }
    isIntroduced.withLock { $0 = true }
    return SharedLook(info: info, heads: rows.compactMap(\.head))
  }
}
