/// The parts of a decimal number, before rounding.
///
/// The value is `mantissa * 10^exponent`, negated if `isNegative`, unless `isTruncated`: then
/// digits after the nineteenth were not all zero, and the text itself must be parsed.
///
/// Source: the `number` production of RFC 8259, section 6. CSV uses it as well, so `+5`, `.5`,
/// `5.`, `007`, `0x10`, `1,5` and `NaN` are not numbers anywhere.
package struct DecimalText {
  private(set) var mantissa: UInt64 = 0
  private(set) var exponent = 0
  private(set) var isNegative = false
  private(set) var isTruncated = false
  private var digitCount = 0

  /// Parses a text that is one number from its first to its last byte.
  ///
  /// - Returns: `nil` if the text is not a number.
  package init?(_ text: UnsafeRawBufferPointer) {
    var position = 0
    let end = text.count
    if end > 0, text[0] == UInt8(ascii: "-") {
      isNegative = true
      position = 1
    }
    let integerStart = position
    while position < end, isDigit(text[position]) {
      append(text[position], isFraction: false)
      position += 1
    }
    guard position > integerStart else { return nil }
    if text[integerStart] == UInt8(ascii: "0"), position > integerStart + 1 { return nil }
    if position < end, text[position] == UInt8(ascii: ".") {
      position += 1
      let fractionStart = position
      while position < end, isDigit(text[position]) {
        append(text[position], isFraction: true)
        position += 1
      }
      guard position > fractionStart else { return nil }
    }
    if position < end, text[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      guard appendExponent(text, &position) else { return nil }
    }
    guard position == end else { return nil }
  }

  private mutating func append(_ byte: UInt8, isFraction: Bool) {
    let digit = UInt64(byte & 0x0F)
    guard digitCount < 19 else {
      if digit != 0 { isTruncated = true }
      if !isFraction { exponent += 1 }
      return
    }
    mantissa = mantissa &* 10 &+ digit
    // Leading zeros do not count as digits of precision.
    if mantissa != 0 { digitCount += 1 }
    if isFraction { exponent -= 1 }
  }

  private mutating func appendExponent(
    _ text: UnsafeRawBufferPointer, _ position: inout Int
  ) -> Bool {
    var isNegative = false
    if position < text.count,
      text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+")
    {
      isNegative = text[position] == UInt8(ascii: "-")
      position += 1
    }
    let start = position
    var written = 0
    while position < text.count, isDigit(text[position]) {
      // Far beyond any number of digits in a record, so that digits and exponent cannot
      // compensate each other past this point.
      if written < 1_000_000_000_000 { written = written * 10 + Int(text[position] & 0x0F) }
      position += 1
    }
    exponent += isNegative ? -written : written
    return position > start
  }
}

@inline(__always)
private func isDigit(_ byte: UInt8) -> Bool {
  byte &- UInt8(ascii: "0") < 10
}
