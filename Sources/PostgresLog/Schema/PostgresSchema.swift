import LayoutCluster

/// The tables of the log, as numbered files that are never edited after their release.
enum PostgresSchema {
  /// The statements of each step; the first creates ``firstFormat``. Older ones were not released.
  private static let steps = [String(decoding: PackageResources.P0005_log_sql, as: UTF8.self)]
  private static let firstFormat = 5

  /// The format that this version reads and writes.
  static var format: Int { firstFormat + steps.count - 1 }

  /// Checks that a connection's database holds a log that this version may use.
  ///
  /// - Throws: ``SharedLogFailure/incompatible(_:)``; ``PostgresError``.
  static func check(_ connection: PostgresConnection) throws {
    guard let found = try present(on: connection) else {
      throw SharedLogFailure.incompatible(
        "the database contains no log; create one with layoutcache cluster init")
    }
    try check(found)
  }

  /// Checks the formats whose programs may use a log.
  ///
  /// - Parameter formats: From the oldest such format to that of the log's tables.
  static func check(_ formats: ClosedRange<Int>) throws {
    if format > formats.upperBound {
      throw SharedLogFailure.incompatible(
        "the log has format \(formats.upperBound); this version requires format \(format): "
          + "migrate it with layoutcache cluster init")
    }
    if format < formats.lowerBound {
      throw SharedLogFailure.incompatible(
        "the log requires format \(formats.lowerBound); this version supports format \(format): "
          + "install a newer version")
    }
  }

  /// Creates the tables, or migrates older ones. Tables of this format stay as they are.
  ///
  /// - Returns: Whether the tables are new.
  /// - Throws: ``SharedLogFailure/incompatible(_:)`` if the tables are of a newer version, or of
  ///   one that was never released.
  static func bringUp(on connection: PostgresConnection, rules: Int) throws -> Bool {
    let before = try present(on: connection)?.upperBound
    if let before, before > format || before < firstFormat { try check(connection) }
    for (index, step) in steps.enumerated() where firstFormat + index > before ?? 0 {
      // All or nothing: statements sent together are one transaction.
      let record =
        index == 0
        ? "INSERT INTO layoutcache.cluster (format_min, format, rules) "
          + "VALUES (\(firstFormat), \(firstFormat), \(rules))"
        : "UPDATE layoutcache.cluster SET format = \(firstFormat + index)"
      do {
        try connection.execute("\(step);\n\(record)")
      } catch let error as PostgresError
        where error.kind == .rejected && Self.doneByAnother.contains(error.state)
      {
        try check(connection)
        return false
      }
    }
    return before == nil
  }

  /// States of a schema, table or row that already exists.
  private static let doneByAnother: Set<String> = ["42P06", "42P07", "23505"]

  /// Returns the formats whose programs may use the log; `nil` if there is no log.
  private static func present(on connection: PostgresConnection) throws -> ClosedRange<Int>? {
    let columns = try connection.read(
      """
      SELECT count(*) FILTER (WHERE attname = 'format_min'), count(*) FROM pg_attribute
      WHERE attrelid = to_regclass('layoutcache.cluster') AND attnum > 0
      """
    ) { (hasRange: try $0.int(0) > 0, count: try $0.int(1)) }
    guard let columns = columns.first, columns.count > 0 else { return nil }
    let least = columns.hasRange ? "format_min" : "format"
    return try connection.read("SELECT \(least), format FROM layoutcache.cluster") {
      try $0.int(0)...max(try $0.int(0), try $0.int(1))
    }.first
  }
}
