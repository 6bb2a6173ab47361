import TextFormats

/// Rows under headings, aligned with spaces.
struct Table {
  typealias Column = AnswerColumn

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row.
  ///
  /// - Parameter cells: A text for each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row has a cell for each column")
    rows.append(cells.map(withoutDirectionMarks))
  }

  /// The lines of the table, each with its line break.
  func lines(_ style: TextStyle) -> String {
    let headings = columns.map(\.heading)
    var widths = headings.map(terminalWidth)
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], terminalWidth(cell))
      }
    }
    var text = style.heading(line(headings, widths)) + "\n"
    for row in rows { text += line(row, widths) + "\n" }
    return text
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[index] - terminalWidth(cell))
      let isLast = index == cells.count - 1
      switch columns[index].alignment {
      case .left: line += isLast ? cell : cell + padding
      case .right: line += padding + cell
      }
      if !isLast { line += "  " }
    }
    // An empty last cell would leave the gap before it at the line's end.
    while line.last == " " { line.removeLast() }
    return line
  }
}

/// A text with U+FFFD in place of the characters that are not seen and reorder what
/// stands around them: a key must not be able to disguise its row.
private func withoutDirectionMarks(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
  var scalars = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    let isMark =
      switch scalar.value {
      case 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
      default: false
      }
    scalars.append(isMark ? "\u{FFFD}" : scalar)
  }
  return String(scalars)
}

/// The columns that a text takes on a terminal: two for a character of East Asian
/// scripts and for an emoji, one for any other.
private func terminalWidth(_ text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  return text.reduce(0) { width, character in
    guard let first = character.unicodeScalars.first else { return width }
    let isWide =
      switch first.value {
      case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF,
        0x20000...0x3FFFD:
        true
      default: false
      }
    return width + (isWide ? 2 : 1)
  }
}

extension Table {
  /// Prints the table on standard output.
  func print() throws {
    var output = StandardOutput()
    try output.write(lines(.of()))
    try output.flush()
  }
}
