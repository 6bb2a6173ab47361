/// The maximum number of Unicode scalars of untrusted text quoted in a message.
package let excerptScalarsMax = 80

/// Returns the start of an untrusted text for a message: on one line, and short for a text of
/// any length. Truncated text is cut between two characters, and ends in "…".
///
/// Control and format characters are escaped as in Swift literals, because a message may be
/// printed to a terminal that interprets them.
///
/// - Complexity: O(1).
package func excerpt(_ text: String) -> String {
  let head = String(text.unicodeScalars.prefix(excerptScalarsMax + 1))
  guard head.unicodeScalars.count > excerptScalarsMax else { return escaped(head) }
  // The last character contains the first excess scalar.
  let characters = head.dropLast()
  guard characters.isEmpty else { return escaped(String(characters)) + "…" }
  return escaped(String(head.unicodeScalars.dropLast())) + "…"
}

/// Returns the start of an untrusted text in UTF-8.
package func excerpt(of bytes: UnsafeRawBufferPointer) -> String {
  // Four bytes per scalar and one scalar more than shown, so that a scalar cut in two is never
  // among those shown.
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
