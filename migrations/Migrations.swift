/// One numbered step of the database's schema.
public struct Migration: Sendable {
  /// The number in the file's name; steps run in its order.
  public let number: Int
  /// The file's name without its ending.
  public let name: String
  /// The statements.
  public let sql: String

  /// Creates a step.
  public init(number: Int, name: String, sql: String) {
    self.number = number
    self.name = name
    self.sql = sql
  }

  /// Every step, oldest first, by rising number; a released one is never edited.
  public static let all: [Migration] = [
    Migration(
      number: 1, name: "M0001_schema",
      sql: String(decoding: PackageResources.M0001_schema_sql, as: UTF8.self)),
    Migration(
      number: 2, name: "M0002_variants",
      sql: String(decoding: PackageResources.M0002_variants_sql, as: UTF8.self)),
    Migration(
      number: 3, name: "M0003_loading",
      sql: String(decoding: PackageResources.M0003_loading_sql, as: UTF8.self)),
    Migration(
      number: 4, name: "M0004_log_binding",
      sql: String(decoding: PackageResources.M0004_log_binding_sql, as: UTF8.self)),
  ]

  /// The schema's version: the number of the last step.
  public static var last: Int { all[all.count - 1].number }
}
