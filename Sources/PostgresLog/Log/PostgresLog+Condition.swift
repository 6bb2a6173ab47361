import LayoutCluster

// Making the log, and what is to be known about where it is kept.

extension PostgresLog {
  /// The oldest version of PostgreSQL that is taken, as it numbers them.
  private static let versionMin = 140_000

  /// Makes the log's tables in a database, or moves those of an older version on; a log that is
  /// there stays as it is.
  ///
  /// - Parameter rules: The version of the layout rules that a new log begins with.
  /// - Throws: ``SharedLogFailure``; `incompatible` for a server or a database that can't hold it.
  package static func initialize(
    _ url: String, rules: Int, options: PostgresOptions = PostgresOptions()
  ) throws -> PostgresCondition {
    do {
      let target = try PostgresTarget(url: url, statementTimeout: options.statementTimeout)
      let pool = PostgresPool(target, options) { _ in }
      defer { pool.close() }
      return try pool.use { connection in
        try check(connection)
        let isNew = try PostgresSchema.bringUp(on: connection, rules: rules)
        return try PostgresCondition(of: connection, isNew: isNew)
      }
    } catch let error as PostgresError {
      throw error.failure(isWrite: true)
    }
  }

  private static func check(_ connection: PostgresConnection) throws {
    let found = try connection.read(
      "SELECT current_setting('server_version_num')::integer, current_setting('server_encoding')"
    ) { (version: try $0.int(0), encoding: try $0.text(1)) }
    for server in found {
      guard server.version >= versionMin else {
        throw SharedLogFailure.incompatible(
          "PostgreSQL \(server.version / 10_000) is too old; "
            + "the log needs \(versionMin / 10_000) or newer")
      }
      // Names are bytes of UTF-8, and compared as such.
      guard server.encoding == "UTF8" else {
        throw SharedLogFailure.incompatible(
          "the database's encoding is \(server.encoding); the log needs UTF8")
      }
    }
  }

  /// Gives the log another name, because it was restored from a backup: nodes throw away what
  /// they have, and clients' positions and validators hold no more.
  package func renew() throws {
    _ = try writing { connection in
      try connection.write("UPDATE layoutcache.cluster SET incarnation = gen_random_uuid()", [])
    }
  }

  /// How the server that holds the log is set up.
  package func condition() throws -> PostgresCondition {
    try Self.reading { try pool.use { try PostgresCondition(of: $0, isNew: false) } }
  }

  /// The nodes that have ever read the log, those that were seen last first.
  package func nodes() throws -> [PostgresNode] {
    try Self.reading {
      try pool.use { connection in
        try connection.read(
          """
          SELECT id, boot, rules_min, rules_max, extract(epoch FROM now() - seen)::float8, title
          FROM layoutcache.node ORDER BY seen DESC
          """
        ) {
          PostgresNode(
            name: try $0.bytes(0), boot: try $0.bytes(1),
            rules: try $0.int(2)...max(try $0.int(2), try $0.int(3)), age: try $0.double(4),
            title: try $0.text(5))
        }
      }
    }
  }
}

/// A node, as the log knows it.
package struct PostgresNode: Hashable, Sendable {
  /// 16 bytes.
  package var name: [UInt8]
  /// 16 bytes, others at each start.
  package var boot: [UInt8]
  /// The versions of the layout rules that it knows.
  package var rules: ClosedRange<Int>
  /// How long ago it last passed a barrier, in seconds, by the server's clock.
  package var age: Double
  /// What people call it.
  package var title: String
}

/// How a server is set up that holds a log.
package struct PostgresCondition: Hashable, Sendable {
  /// Whether this call has made the log.
  package var isNew: Bool
  package var format: Int
  /// As PostgreSQL numbers them: 150018 is 15.18.
  package var serverVersion: Int
  /// The standbys of which a commit waits for some, as the server's setting names them; empty
  /// where a commit waits for nobody, and is lost with the server.
  package var synchronousStandbys: String
  /// The standbys that are connected now and that commits may wait for; `nil` where the role may
  /// not see it (`pg_monitor` may).
  package var connectedStandbyCount: Int?
  /// The settings that let a commit be lost with the power, and are off.
  package var unsafeSettings: [String]

  package var isReplicated: Bool { !synchronousStandbys.isEmpty }

  init(of connection: PostgresConnection, isNew: Bool) throws {
    self.isNew = isNew
    format = PostgresSchema.format
    let rows = try connection.read(
      """
      SELECT current_setting('server_version_num')::integer,
        current_setting('synchronous_standby_names'), count(pid), count(sync_state),
        count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))
      FROM pg_stat_replication
      """
    ) { (try $0.int(0), try $0.text(1), try $0.int(2), try $0.int(3), try $0.int(4)) }
    guard let (version, standbys, count, visibleCount, waitedCount) = rows.first else {
      throw PostgresError(.malformed, "the server does not say how it is set up")
    }
    serverVersion = version
    synchronousStandbys = standbys
    connectedStandbyCount = count > 0 && visibleCount == 0 ? nil : waitedCount
    unsafeSettings = try connection.read(
      """
      SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'
      ORDER BY name
      """
    ) { try $0.text(0) }
  }
}
