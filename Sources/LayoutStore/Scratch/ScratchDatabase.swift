/// A separate temporary database, in a file that is deleted with the value and with the process.
///
/// It is independent of the store's file, so filling it delays no writer.
final class ScratchDatabase {
  private let connection: Connection

  /// Creates a database with the tables of some statements.
  init(_ tables: String) throws {
    connection = try Self.mapped { try Connection(path: "", .readWrite, busyTimeout: 0) }
    try run { try $0.execute("PRAGMA journal_mode = OFF; \(tables)") }
  }

  /// Runs statements.
  ///
  /// - Throws: ``StoreError``; other errors of `body`.
  func run<R>(_ body: (Connection) throws -> R) throws -> R {
    try Self.mapped { try connection.reportingReadFailures { try body(connection) } }
  }

  private static func mapped<R>(_ body: () throws -> R) throws -> R {
    try StoreError.mapped(path: "the temporary database", busyTimeout: 0, body)
  }
}
