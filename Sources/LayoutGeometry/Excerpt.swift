/// The most Unicode scalars of a text from outside that a message quotes.
package let excerptScalarsMax = 80

/// The start of a text from outside, as messages quote it: on one line, and short
/// however long the text is. A text that is cut is cut between two characters, and
/// ends in "…".
///
/// Control and format characters are escaped as Swift writes them, because a
/// message may end up on a terminal that obeys them.
///
/// - Complexity: O(1).
package func excerpt(_ text: String) -> String {
  let head = String(text.unicodeScalars.prefix(excerptScalarsMax + 1))
  guard head.unicodeScalars.count > excerptScalarsMax else { return escaped(head) }
  // The last character has the first scalar that is too many.
  let characters = head.dropLast()
  guard characters.isEmpty else { return escaped(String(characters)) + "…" }
  return escaped(String(head.unicodeScalars.dropLast())) + "…"
}

/// The start of a text from outside that is given as UTF-8.
package func excerpt(of bytes: UnsafeRawBufferPointer) -> String {
  // Four bytes a scalar and one scalar more than is shown, so that a scalar cut
  // in two is never one of those shown.
  let start = bytes.prefix(4 * (excerptScalarsMax + 1))
  return excerpt(String(decoding: start, as: UTF8.self))
}

private func escaped(_ text: String) -> String {
  var shown = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator:
      shown += scalar.escaped(asASCII: true)
    default:
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}
