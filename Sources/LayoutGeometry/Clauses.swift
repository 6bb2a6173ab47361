/// Clauses of a message as one text: each continues after a semicolon, but for the one after a
/// question, which begins a sentence.
///
///     clauses("there is no 'qurey'", "did you mean 'query'?", "see --help")
///     // there is no 'qurey'; did you mean 'query'? See --help
///
/// - Parameter clauses: What they say, with lower case first and no full stop; `nil` for one
///   that is not needed. The first may be several that were joined.
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
