import JSONText

/// The form of a text's records, as its first bytes show it: `;` or a tab in place of the commas
/// of CSV, or one JSON array in place of lines.
///
/// - Parameter opening: The first bytes, without a byte order mark.
/// - Returns: The form, and the bytes and line ends to pass before the first record.
func sniffedForm(
  of format: TextFormat, _ opening: UnsafeRawBufferPointer
) -> (form: RecordForm, start: Int, lineBreaks: Int) {
  switch format {
  case .tsv: return (RecordForm(format), 0, 0)
  case .csv:
    // Those of the header count, which ends at the first line end outside of quotes.
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    var hasBegun = false
    for byte in opening {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      let endsLine = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      if isQuoted { continue }
      if endsLine && hasBegun { break }
      hasBegun = hasBegun || !endsLine
      counts[byte, default: 0] += 1
    }
    func count(_ byte: UInt8) -> Int { counts[byte] ?? 0 }
    let others = [UInt8(ascii: ";"), UInt8(ascii: "\t")]
    let most = others.max { count($0) < count($1) } ?? UInt8(ascii: ",")
    let delimiter = count(most) > count(UInt8(ascii: ",")) ? most : UInt8(ascii: ",")
    return (.fields(delimiter: delimiter), 0, 0)
  case .ndjson:
    var lineBreaks = 0
    for (offset, byte) in opening.enumerated() {
      if byte == UInt8(ascii: "[") { return (.elements, offset + 1, lineBreaks) }
      if byte == UInt8(ascii: "\n") { lineBreaks += 1 }
      if !isJSONSpace(byte) { break }
    }
    return (.lines, 0, 0)
  }
}
