/// The text on a card, broken into lines.
struct CardText {
  /// The lines, at most as many as fit; at least one.
  private(set) var lines: [(text: String, isNote: Bool)] = []

  /// The line height in points.
  static let lineHeight = 15

  // The average width of letters at 12 points, and at 10.5, in most fonts.
  private static let letterWidth = 7.2
  private static let noteLetterWidth = 5.8

  /// Breaks a title and a note between words, and truncates them with an ellipsis.
  ///
  /// - Parameters:
  ///   - width: The maximum width of a line in points.
  ///   - linesMax: The maximum number of lines; the note gets those that the title leaves.
  init(title: String, note: String?, width: Double, linesMax: Int) {
    let count = max(1, linesMax)
    let notes = note.map {
      broken($0, lettersMax: max(1, Int(width / Self.noteLetterWidth)), linesMax: 2)
    }
    let titles = broken(
      title, lettersMax: max(1, Int(width / Self.letterWidth)),
      // A card of three lines or more reserves one for the note.
      linesMax: notes != nil && count > 2 ? min(5, count - 1) : min(6, count))
    lines = titles.map { ($0, false) }
    lines += (notes ?? []).prefix(count - titles.count).map { ($0, true) }
  }
}

/// Breaks a text into lines between words.
///
/// - Returns: At least one line; the last one ends with an ellipsis if the text is truncated.
private func broken(_ text: String, lettersMax: Int, linesMax: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  var isCut = false
  for word in text.split(whereSeparator: \.isWhitespace) {
    if line.isEmpty {
      line = String(word)
    } else if line.count + 1 + word.count <= lettersMax {
      line += " " + word
    } else if lines.count + 1 < linesMax {
      lines.append(shortened(line, to: lettersMax))
      line = String(word)
    } else {
      isCut = true
      break
    }
  }
  lines.append(shortened(line, to: lettersMax, isCut: isCut))
  return lines
}

/// Returns a line of at most `lettersMax` letters, with an ellipsis if letters, or following
/// text, are omitted.
private func shortened(_ line: String, to lettersMax: Int, isCut: Bool = false) -> String {
  if line.count <= lettersMax && !isCut { return line }
  return line.prefix(max(1, min(line.count, lettersMax - 1))) + "…"
}
