/// The most Unicode scalars of foreign text that a message quotes.
private let excerptScalarsMax = 40

/// The start of foreign text, fit for one line of a terminal.
///
/// Control and format characters are escaped as Swift writes them, because a
/// message may end up on a terminal that obeys them.
func excerpt(_ text: String) -> String {
  var shown = ""
  var remaining = excerptScalarsMax
  for scalar in text.unicodeScalars {
    guard remaining > 0 else { return shown + "…" }
    remaining -= 1
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator:
      shown += scalar.escaped(asASCII: true)
    default:
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

/// The start of foreign text given as UTF-8.
func excerpt(of bytes: UnsafeRawBufferPointer) -> String {
  // Four bytes a scalar and one scalar more than is shown, so that a scalar cut
  // in two is never one of those shown.
  let start = bytes.prefix(4 * (excerptScalarsMax + 1))
  return excerpt(String(decoding: start, as: UTF8.self))
}
