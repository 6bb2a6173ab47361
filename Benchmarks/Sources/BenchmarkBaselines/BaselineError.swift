/// SQLite refused what a baseline asked of it.
package struct BaselineError: Error, CustomStringConvertible {
  /// The database's file.
  package var path: String
  /// SQLite's words.
  package var detail: String

  package var description: String { "SQLite refused a statement on \(path): \(detail)" }
}
