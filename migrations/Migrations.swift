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
      number: 1, name: "M0001_contexts",
      sql: String(decoding: PackageResources.M0001_contexts_sql, as: UTF8.self))
  ]

  /// The schema's version: the number of the last step.
  public static var last: Int { all[all.count - 1].number }
}
