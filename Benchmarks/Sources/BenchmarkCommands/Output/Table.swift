/// Rows of ASCII under headings, aligned with spaces.
struct Table {
  struct Column {
    var heading: String
    var isNumber: Bool

    /// A column of words, aligned to the left.
    static func text(_ heading: String) -> Column { Column(heading: heading, isNumber: false) }

    /// A column of numbers, aligned to the right.
    static func number(_ heading: String) -> Column { Column(heading: heading, isNumber: true) }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row.
  ///
  /// - Parameter cells: A text for each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row has a cell for each column")
    rows.append(cells)
  }

  /// The lines of the table, each with its line break.
  var lines: String {
    let headings = columns.map(\.heading)
    let widths = columns.indices.map { index in
      rows.reduce(headings[index].count) { max($0, $1[index].count) }
    }
    let body = rows.map { line($0, widths) + "\n" }.joined()
    return TextStyle.heading(line(headings, widths)) + "\n" + body
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = zip(columns, zip(cells, widths)).map { column, cell in
      let padding = String(repeating: " ", count: cell.1 - cell.0.count)
      return column.isNumber ? padding + cell.0 : cell.0 + padding
    }.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}
