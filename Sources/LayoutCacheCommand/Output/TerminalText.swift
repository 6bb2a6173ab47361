// Widths and line breaks of text on a terminal.

/// Returns the number of columns of a text on a terminal: two for East Asian characters and
/// emoji, one for others.
func terminalWidth(_ text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  return text.reduce(0) { $0 + terminalWidth($1) }
}

/// Source: Unicode Standard Annex 11, the letter ranges of East Asian Width W and F, and Annex
/// 51 for emoji, which U+FE0F forms from other characters.
private func terminalWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if first.value < 0x300 {
    // A digit with U+FE0F and U+20E3 is an emoji.
    return scalars.contains("\u{20E3}") ? 2 : 1
  }
  switch first.value {
  case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x20000...0x3FFFD:
    return 2
  default: break
  }
  if first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
  switch first.properties.generalCategory {
  case .nonspacingMark, .enclosingMark: return 0
  default: return 1
  }
}

/// Returns the start of a text that fits some columns; "…" marks a truncated text.
func cut(_ text: String, toColumns columnsMax: Int) -> String {
  guard terminalWidth(text) > columnsMax else { return text }
  var width = 0
  let start = text.prefix { character in
    width += terminalWidth(character)
    return width < columnsMax
  }
  return columnsMax > 0 ? start + "…" : ""
}

/// Breaks a text into lines of at most some columns, at spaces if possible.
func wrapped(_ text: String, toColumns columnsMax: Int) -> [String] {
  var lines: [String] = []
  var rest = text[...]
  while terminalWidth(String(rest)) > columnsMax {
    var (width, end) = (0, rest.startIndex)
    while end < rest.endIndex, width + terminalWidth(rest[end]) <= columnsMax || width == 0 {
      width += terminalWidth(rest[end])
      end = rest.index(after: end)
    }
    // A space just beyond the limit is a valid break, too.
    let seen = end < rest.endIndex ? rest[...end] : rest
    if let space = seen.lastIndex(of: " "), space > rest.startIndex {
      lines.append(String(rest[..<space]))
      rest = rest[rest.index(after: space)...]
    } else {
      lines.append(String(rest[..<end]))
      rest = rest[end...]
    }
  }
  return lines + [String(rest)]
}

/// Formats names and texts, one pair per line; long texts wrap with an indent.
///
/// - Parameter columnsMax: The available width; `nil` for any.
func facts(
  _ facts: [(name: String, text: String)], _ style: TextStyle,
  _ columnsMax: Int? = Terminal.outputColumns
) -> String {
  let width = facts.map { terminalWidth($0.name) }.max() ?? 0
  let room = columnsMax.map { max(8, $0 - width - 2) } ?? .max
  var lines = ""
  for fact in facts {
    let padding = String(repeating: " ", count: width - terminalWidth(fact.name))
    for (number, line) in wrapped(fact.text, toColumns: room).enumerated() {
      let name =
        number == 0 ? style.heading(fact.name) + padding : String(repeating: " ", count: width)
      lines += "\(name)  \(line)\n"
    }
  }
  return lines
}
