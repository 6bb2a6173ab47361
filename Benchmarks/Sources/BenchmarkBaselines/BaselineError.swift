/// An error of SQLite in a baseline.
package struct BaselineError: Error, CustomStringConvertible {
  /// The database's file.
  package var path: String
  /// SQLite's message.
  package var detail: String

  package var description: String { "SQLite rejected a statement on \(path): \(detail)" }
}
