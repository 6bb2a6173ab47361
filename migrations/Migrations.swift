/// One numbered step of the database's schema.
public struct Migration: Sendable {
  /// The number in the file's name; steps run in its order.
  public let number: Int
  /// The file's name without its ending.
  public let name: String
  /// The statements.
  public let sql: String

  init(_ number: Int, _ name: String, _ bytes: [UInt8]) {
    self.number = number
    self.name = name
    sql = String(decoding: bytes, as: UTF8.self)
  }

  /// Every step, oldest first, by rising number; a released one is never edited.
  public static let all: [Migration] = [
    Migration(1, "M0001_feed", PackageResources.M0001_feed_sql),
    Migration(2, "M0002_log", PackageResources.M0002_log_sql),
    Migration(
      3, "M0003_result_configuration", PackageResources.M0003_result_configuration_sql),
    Migration(4, "M0004_histories", PackageResources.M0004_histories_sql),
    Migration(5, "M0005_differences", PackageResources.M0005_differences_sql),
    Migration(6, "M0006_item_data", PackageResources.M0006_item_data_sql),
    Migration(7, "M0007_idempotency", PackageResources.M0007_idempotency_sql),
    Migration(8, "M0008_marks", PackageResources.M0008_marks_sql),
    Migration(
      9, "M0009_trailing_checkpoints", PackageResources.M0009_trailing_checkpoints_sql),
    Migration(10, "M0010_measured_lengths", PackageResources.M0010_measured_lengths_sql),
    Migration(11, "M0011_replicas", PackageResources.M0011_replicas_sql),
    Migration(12, "M0012_bounds", PackageResources.M0012_bounds_sql),
    Migration(13, "M0013_histories", PackageResources.M0013_histories_sql),
  ]

  /// The schema's version: the number of the last step.
  public static var last: Int { all[all.count - 1].number }
}
