/// The search for the row after one with misplaced quotes, whose end is unknown.
///
/// The faulty row is assumed to end at the first line end, from its own first byte, after which a
/// row has as many fields as the header; or else at its first line end. So a stray quote costs
/// one row, although a reader that stays within the quotes would lose many.
///
/// The work is linear: each line is examined once for all faulty rows, because the stream keeps
/// how far the last search came, and a line that opens a quote is decided by the next line with
/// an odd number of quotes.
struct Recovery {
  let fault: RecordFault
  private let form: RecordForm
  private let columnCount: Int?
  /// The line end before the row being examined, the row's start, and the state of its scan.
  private var candidate: (end: Int, start: Int, scanner: RecordScanner)?
  private var firstLineEnd: Int?
  private var position = 0
  private var undecided: Int?
  private(set) var hasMatch = false

  init(fault: RecordFault, form: RecordForm, columnCount: Int?) {
    (self.fault, self.form, self.columnCount) = (fault, form, columnCount)
  }

  /// The number of bytes, from the faulty row's start, in which no row can start.
  var searchedCount: Int { undecided ?? position + 1 }

  /// Returns the offset of the line end that ends the faulty row; `nil` if there is none, or
  /// more bytes are needed.
  ///
  /// - Parameters:
  ///   - bytes: The text from the faulty row's first byte.
  ///   - isLast: Whether the search ends with these bytes.
  ///   - isWhole: Whether the text ends with them.
  ///   - searched: The number of bytes that an earlier search has covered; negative for none.
  mutating func end(
    in bytes: UnsafeRawBufferPointer, isLast: Bool, isWhole: Bool, from searched: Int
  ) -> Int? {
    while true {
      if candidate == nil {
        guard let end = lineEnd(in: bytes) else { break }
        var start = end + 1
        if bytes[end] == UInt8(ascii: "\r") {
          if start == bytes.count, !isLast { return nil }
          if start < bytes.count, bytes[start] == UInt8(ascii: "\n") { start += 1 }
        }
        firstLineEnd = firstLineEnd ?? end
        guard let columnCount else { return end }
        position = start
        if start < searched {
          // A line end before the offset may have two bytes.
          position = max(start, searched - 2)
          continue
        }
        var scanner = RecordScanner(form)
        scanner.columnCount = columnCount
        candidate = (end, start, scanner)
      }
      guard let (end, start, begun) = candidate else { break }
      var scanner = begun
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      var scan = scanner.scan(rest)
      if case .incomplete = scan {
        if isWhole {
          scan = rest.isEmpty ? .incomplete : scanner.scanLast(rest)
        } else if isLast {
          undecided = undecided ?? start
        } else {
          candidate = (end, start, scanner)
          return nil
        }
      }
      candidate = nil
      if case .complete = scan, scanner.fields.count == columnCount {
        hasMatch = true
        return end
      }
    }
    return isLast ? firstLineEnd : nil
  }

  /// Returns the next line end; the search continues after it.
  private mutating func lineEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return position }
      position += 1
    }
    return nil
  }
}
