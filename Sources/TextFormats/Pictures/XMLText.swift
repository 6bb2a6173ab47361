/// Returns a text with the characters escaped that are special in XML.
func escaped(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": escaped += "&amp;"
    case "<": escaped += "&lt;"
    case ">": escaped += "&gt;"
    case "\"": escaped += "&quot;"
    // XML cannot express these two, nor most control characters.
    case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
    case "\u{0}"..<" ", "\u{7F}"...("\u{9F}"): escaped += " "
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}
