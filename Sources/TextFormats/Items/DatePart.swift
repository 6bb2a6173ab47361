import LayoutGeometry

/// The part of a date that is the key of a section.
package enum DatePart: String, CaseIterable, Sendable {
  case day, month, year

  /// Returns the part of a date: `2024-03-05`, `2024-03` or `2024`.
  ///
  /// A date is ISO 8601's, with `-`, `/`, `:` as cameras write it, or without separators,
  /// optionally followed by a time, or a number of seconds or milliseconds since the beginning of
  /// 1970. The part is the one
  /// that is written: time zones are not converted.
  ///
  /// - Returns: `nil` if the text is not a date, or lacks the part.
  package func key(of text: some StringProtocol) -> String? {
    let utf8 = Array(text.utf8)
    var position = 0
    func digits(_ count: Int) -> Int? {
      guard position + count <= utf8.count else { return nil }
      var number = 0
      for byte in utf8[position..<(position + count)] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      position += count
      return number
    }
    let digitCount = utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    // Seconds may have a fraction.
    let isNumber =
      digitCount == utf8.count
      || utf8[digitCount] == UInt8(ascii: ".") && utf8.count > digitCount + 1
        && utf8[(digitCount + 1)...].allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    if isNumber, (9...13).contains(digitCount), let number = Int64(text.prefix(digitCount)) {
      let date = timeText(millisecondsSince1970: digitCount > 11 ? number : number * 1_000)
      return key(of: date)
    }
    guard let year = digits(4), year > 0 else { return nil }
    var written = String(text.prefix(4))
    if ends(utf8, at: position) { return self == .year ? written : nil }
    let separator = position < utf8.count ? utf8[position] : 0
    let isSeparated = "-/:".utf8.contains(separator)
    if isSeparated { position += 1 }
    guard let month = digits(2), (1...12).contains(month) else { return nil }
    if self != .year { written += month < 10 ? "-0\(month)" : "-\(month)" }
    if isSeparated, ends(utf8, at: position) { return self == .day ? nil : written }
    if isSeparated {
      guard position < utf8.count, utf8[position] == separator else { return nil }
      position += 1
    }
    guard let day = digits(2), (1...31).contains(day), ends(utf8, at: position) else { return nil }
    return self == .day ? written + (day < 10 ? "-0\(day)" : "-\(day)") : written
  }

  /// Returns whether a date ends at an offset: with the text, or before a time.
  private func ends(_ utf8: [UInt8], at offset: Int) -> Bool {
    offset == utf8.count || utf8[offset] == UInt8(ascii: "T") || utf8[offset] == UInt8(ascii: " ")
  }

  /// Returns a field and the part of its date: of `created_at:month`.
  ///
  /// - Returns: `nil` for a text that does not end in a colon and a part.
  static func reading(_ text: String) -> (field: String, part: DatePart)? {
    guard let colon = text.lastIndex(of: ":"),
      let part = DatePart(rawValue: String(text[text.index(after: colon)...]))
    else { return nil }
    return (String(text[..<colon]), part)
  }

  /// Returns the section key of a row.
  ///
  /// - Throws: `notADate`.
  func section(
    _ text: String, _ field: String, in record: TextRecord
  ) throws(RecordProblem) -> String? {
    let text = text[...].trimmingSpaces
    // A camera without a clock writes zeros.
    if text.isEmpty || text.hasPrefix("0000:00:00") { return nil }
    if let key = key(of: text) { return key }
    throw record.problem(
      .notADate, field: field, "\(excerpt(field)) is not a date: \"\(excerpt(String(text)))\"")
  }
}
