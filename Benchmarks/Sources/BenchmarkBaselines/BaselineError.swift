/// An error of SQLite in a baseline.
package struct BaselineError: Error, CustomStringConvertible {
  /// The database's file.
  package var path: String
  /// SQLite's message.
  package var detail: String

  package var description: String { "SQLite refused a statement on \(path): \(detail)" }
}
