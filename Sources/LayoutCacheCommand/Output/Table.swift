import TextFormats

/// Rows under headings, aligned with spaces.
struct Table {
  typealias Column = AnswerColumn

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row.
  ///
  /// - Parameter cells: The text of each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row has a cell for each column")
    rows.append(cells.map(withoutDirectionMarks))
  }

  /// Returns the lines of the table, each with a line break.
  ///
  /// If they are too wide, words are truncated, but never numbers. If that is not enough, each
  /// row is printed as a paragraph with one line per column.
  ///
  /// - Parameter columnsMax: The available width; `nil` for any.
  func lines(_ style: TextStyle, columnsMax: Int? = Terminal.outputColumns) -> String {
    let headings = columns.map(\.heading)
    var widths = headings.map(terminalWidth)
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], terminalWidth(cell))
      }
    }
    if let columnsMax, !shrink(&widths, to: columnsMax) { return paragraphs(style, columnsMax) }
    var text = style.heading(line(headings, widths)) + "\n"
    for row in rows { text += line(row, widths) + "\n" }
    return text
  }

  /// Narrows the columns of words, from the widest on, until the table fits.
  ///
  /// - Returns: Whether the table fits.
  private func shrink(_ widths: inout [Int], to columnsMax: Int) -> Bool {
    var excess = widths.reduce(2 * (widths.count - 1), +) - columnsMax
    while excess > 0 {
      let words = widths.indices.filter {
        columns[$0].alignment == .left
          && widths[$0] > max(Self.cutWidthMin, terminalWidth(columns[$0].heading))
      }
      guard let widest = words.max(by: { widths[$0] < widths[$1] }) else { return false }
      widths[widest] -= 1
      excess -= 1
    }
    return true
  }

  /// The minimum width of truncated words.
  private static let cutWidthMin = 8

  private func paragraphs(_ style: TextStyle, _ columnsMax: Int) -> String {
    rows.map { row in
      facts(
        zip(columns, row).filter { !$1.isEmpty }.map { ($0.heading, $1) }, style, columnsMax)
    }.joined(separator: "\n")
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let cell = cut(cell, toColumns: widths[index])
      let padding = String(repeating: " ", count: widths[index] - terminalWidth(cell))
      let isLast = index == cells.count - 1
      switch columns[index].alignment {
      case .left: line += isLast ? cell : cell + padding
      case .right: line += padding + cell
      }
      if !isLast { line += "  " }
    }
    // An empty last cell would leave trailing spaces.
    while line.last == " " { line.removeLast() }
    return line
  }
}

/// Returns the text with U+FFFD in place of invisible characters that reorder the surrounding
/// text, so that a key can't disguise its row.
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

extension Table {
  /// Prints the table to standard output.
  func print() throws {
    var output = StandardOutput()
    try output.write(lines(.of()))
    try output.flush()
  }
}
