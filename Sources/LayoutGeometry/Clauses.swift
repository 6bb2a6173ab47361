/// Joins the clauses of a message: each follows a semicolon, except after a question, where it
/// begins a sentence.
///
///     clauses("there is no 'qurey'", "did you mean 'query'?", "see --help")
///     // there is no 'qurey'; did you mean 'query'? See --help
///
/// - Parameter clauses: The clauses, beginning in lower case and without a full stop; `nil` to
///   omit one. The first may consist of several joined clauses.
package func clauses(_ clauses: String?...) -> String {
  clauses.compactMap(\.self).reduce(into: "") { text, clause in
    if text.isEmpty {
      text = clause
    } else if text.hasSuffix("?") {
      text += " " + clause.prefix(1).uppercased() + clause.dropFirst()
    } else {
      text += "; " + clause
    }
  }
}
