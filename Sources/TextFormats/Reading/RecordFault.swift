import LayoutGeometry

/// The reason that the fields of a record can't be read, although the next record can.
struct RecordFault: Hashable, Sendable {
  /// The error, if the record is the header of the text.
  let error: ImportError
  /// The offset of the byte at fault in the record.
  let offset: Int
  /// The index of the field with that byte, or of the last one; 0 for NDJSON.
  let column: Int

  init(_ error: ImportError, offset: Int, column: Int) {
    (self.error, self.offset, self.column) = (error, offset, column)
  }

  /// Creates the fault of a record with bytes that are not text; `nil` if it has none.
  ///
  /// - Parameters:
  ///   - fields: The fields of CSV and TSV that are complete.
  ///   - line: The line on which the record starts.
  init?(ofTextIn record: UnsafeRawBufferPointer, _ fields: [DelimitedField], _ line: Int) {
    guard let offset = offsetOfDefect(in: record) else { return nil }
    let lineBreaks = lineBreakCount(in: UnsafeRawBufferPointer(rebasing: record[..<offset]))
    let isNUL = record[offset] == 0
    self.init(
      ImportError(
        line: line + lineBreaks, code: isNUL ? .notText : .invalidUTF8,
        message: isNUL
          ? "the input is not text: it has a NUL byte"
          : "the text is not UTF-8; convert it to UTF-8"),
      offset: offset, column: fields.firstIndex { $0.end > offset } ?? fields.count)
  }

  /// Returns the problem of a row.
  ///
  /// - Parameter header: The names of the columns.
  func problem(line: Int, header: [String]) -> RecordProblem {
    let name = column < header.count ? header[column] : nil
    let subject = name.map { excerpt($0) } ?? "the row"
    let byte = "byte \(offset + 1) of the row"
    let (code, message): (RecordProblem.Code, String) =
      switch error.code {
      case .notText: (.notText, "\(subject) has a NUL byte, \(byte)")
      case .invalidUTF8: (.invalidUTF8, "\(subject) is not UTF-8 at \(byte)")
      case .recordTooLong: (.tooLong, error.message.replacing("record", with: "row"))
      default: (.misplacedQuote, "\(subject) has a misplaced quote at \(byte): \(error.message)")
      }
    return RecordProblem(
      line: line, code: code, field: code == .tooLong ? nil : name, message: message)
  }
}
