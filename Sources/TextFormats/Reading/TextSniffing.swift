import JSONText

/// Returns the form of a text's records, derived from its first bytes: `;`, `|` or a tab instead
/// of CSV's commas, or one JSON array instead of lines.
///
/// - Parameter opening: The first bytes, without a byte order mark.
/// - Returns: The form, and the bytes and line ends to skip before the first record.
func sniffedForm(
  of format: TextFormat, _ opening: UnsafeRawBufferPointer
) -> (form: RecordForm, start: Int, lineBreaks: Int) {
  switch format {
  case .tsv: return (RecordForm(format), 0, 0)
  case .csv:
    // As Excel writes it before the header.
    let line = opening.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let text = String(decoding: line, as: UTF8.self).lowercased()
    for text in [text, String(text.drop { $0 == "\"" }.prefix(5))]
    where text.utf8.count == 5 && text.hasPrefix("sep=") && line.count <= 7 {
      let end = line.count + (opening.dropFirst(line.count).starts(with: "\r\n".utf8) ? 2 : 1)
      return (.fields(delimiter: Array(text.utf8)[4]), min(end, opening.count), 1)
    }
    // Only those in the header count, which ends at the first line end outside quotes.
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
    let others = [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
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
