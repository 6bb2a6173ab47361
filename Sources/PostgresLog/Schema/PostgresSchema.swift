import LayoutCluster

/// The tables of the log, as numbered files that are never edited after their release.
enum PostgresSchema {
  /// The statements of each step; the first creates format 1.
  private static let steps = [String(decoding: PackageResources.P0001_log_sql, as: UTF8.self)]

  /// The format that this version reads and writes.
  static var format: Int { steps.count }

  /// Checks that a connection's database holds a log of this format.
  ///
  /// - Throws: ``SharedLogFailure/incompatible(_:)``; ``PostgresError``.
  static func check(_ connection: PostgresConnection) throws {
    let found = try present(on: connection)
    guard let found else {
      throw SharedLogFailure.incompatible(
        "the database contains no log; create one with layoutcache cluster init")
    }
    guard found == format else {
      throw SharedLogFailure.incompatible(
        "the log has format \(found); this version supports format \(format)")
    }
  }

  /// Creates the tables, or migrates older ones. Tables of this format stay as they are.
  ///
  /// - Returns: Whether the tables are new.
  /// - Throws: ``SharedLogFailure/incompatible(_:)`` if the tables are of a newer version.
  static func bringUp(on connection: PostgresConnection, rules: Int) throws -> Bool {
    let before = try present(on: connection) ?? 0
    if before > format { try check(connection) }
    for number in before..<format {
      // All or nothing: statements sent together are one transaction.
      let record =
        number == 0
        ? "INSERT INTO layoutcache.cluster (format, rules) VALUES (1, \(rules))"
        : "UPDATE layoutcache.cluster SET format = \(number + 1)"
      do {
        try connection.execute("\(steps[number]);\n\(record)")
      } catch let error as PostgresError
        where error.kind == .rejected && Self.doneByAnother.contains(error.state)
      {
        try check(connection)
        return false
      }
    }
    return before == 0
  }

  /// States of a schema, table or row that already exists.
  private static let doneByAnother: Set<String> = ["42P06", "42P07", "23505"]

  private static func present(on connection: PostgresConnection) throws -> Int? {
    let hasTable = try connection.read("SELECT to_regclass('layoutcache.cluster') IS NOT NULL") {
      try $0.bool(0)
    }
    guard hasTable == [true] else { return nil }
    return try connection.read("SELECT format FROM layoutcache.cluster") { try $0.int(0) }.first
  }
}
