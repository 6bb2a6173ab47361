import LayoutCluster

// Creating the log, and the condition of its server.

extension PostgresLog {
  /// The oldest supported version of PostgreSQL, in PostgreSQL's numbering.
  private static let versionMin = 140_000

  /// Creates the log's tables in a database, or migrates those of an older version. A current log
  /// stays as it is.
  ///
  /// - Parameter rules: The version of the layout rules for a new log.
  /// - Throws: ``SharedLogFailure``, `incompatible` for an unsuitable server or database.
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
            + "the log requires \(versionMin / 10_000) or newer")
      }
      // Names are UTF-8, and compared bytewise.
      guard server.encoding == "UTF8" else {
        throw SharedLogFailure.incompatible(
          "the database's encoding is \(server.encoding); the log requires UTF8")
      }
    }
  }

  /// Gives the log a new incarnation after it was restored from a backup: nodes discard their
  /// data, and clients' positions and validators become invalid.
  package func renew() throws {
    _ = try writing { connection in
      try connection.write("UPDATE layoutcache.cluster SET incarnation = gen_random_uuid()", [])
    }
  }

  /// Returns the configuration of the log's server.
  package func condition() throws -> PostgresCondition {
    try Self.reading { try pool.use { try PostgresCondition(of: $0, isNew: false) } }
  }

  /// Returns the nodes that have read the log, those seen last first.
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

/// A node, as recorded in the log.
package struct PostgresNode: Hashable, Sendable {
  /// The node's name; 16 bytes.
  package var name: [UInt8]
  /// The name of the node's process; 16 bytes, new at each start.
  package var boot: [UInt8]
  /// The supported versions of the layout rules.
  package var rules: ClosedRange<Int>
  /// The time since its last barrier, in seconds, by the server's clock.
  package var age: Double
  /// The display name.
  package var title: String
}

/// The configuration of a log's server.
package struct PostgresCondition: Hashable, Sendable {
  /// Whether this call created the log.
  package var isNew: Bool
  /// The log's ``SharedLogInfo/incarnation``; 16 bytes.
  package var incarnation: [UInt8]
  /// The version of the layout rules in effect.
  package var rules: Int
  package var format: Int
  /// The version in PostgreSQL's numbering: 150018 is 15.18.
  package var serverVersion: Int
  /// The synchronous standbys, as in the server's setting. If empty, a commit waits for no
  /// standby, and is lost with the server.
  package var synchronousStandbys: String
  /// The number of connected standbys that commits may wait for; `nil` if the role may not see it
  /// (`pg_monitor` may).
  package var connectedStandbyCount: Int?
  /// The settings that are off, so that a power failure may lose commits.
  package var unsafeSettings: [String]

  package var isReplicated: Bool { !synchronousStandbys.isEmpty }

  init(of connection: PostgresConnection, isNew: Bool) throws {
    self.isNew = isNew
    let log = try connection.read("SELECT incarnation, format, rules FROM layoutcache.cluster") {
      (try $0.bytes(0), try $0.int(1), try $0.int(2))
    }
    guard let log = log.first else {
      throw SharedLogFailure.incompatible("the log's row in layoutcache.cluster is missing")
    }
    (incarnation, format, rules) = log
    let rows = try connection.read(
      """
      SELECT current_setting('server_version_num')::integer,
        current_setting('synchronous_standby_names'), count(pid), count(sync_state),
        count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))
      FROM pg_stat_replication
      """
    ) { (try $0.int(0), try $0.text(1), try $0.int(2), try $0.int(3), try $0.int(4)) }
    guard let (version, standbys, count, visibleCount, waitedCount) = rows.first else {
      throw PostgresError(.malformed, "the server did not return its settings")
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
