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

/// The reason that a text is not a number of a type.
package enum NumberError: Error {
  case notANumber, notAnInteger
  /// The type can't represent it.
  case tooLarge
}

/// The powers of ten that a double holds exactly.
private let exactPowersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
  1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]

/// Returns the double nearest to a decimal number, ties to even.
///
/// A number too close to zero for a double results in zero.
///
/// Source: the exact case of Clinger, "How to Read Floating Point Numbers Accurately" (1990):
/// two exact doubles, one correctly rounded operation. The standard library parses the rest.
///
/// - Throws: `notANumber`, or `tooLarge` if the number rounds to infinity.
package func parseDouble(_ text: UnsafeRawBufferPointer) throws(NumberError) -> Double {
  guard let decimal = DecimalText(text) else { throw .notANumber }
  if !decimal.isTruncated, decimal.mantissa <= 1 << 53, -22...22 ~= decimal.exponent {
    var value = Double(decimal.mantissa)
    if decimal.exponent < 0 {
      value /= exactPowersOfTen[-decimal.exponent]
    } else if decimal.exponent > 0 {
      value *= exactPowersOfTen[decimal.exponent]
    }
    return decimal.isNegative ? -value : value
  }
  guard let value = Double(String(decoding: text, as: UTF8.self)) else { throw .notANumber }
  guard value.isFinite else { throw .tooLarge }
  return value
}

/// Returns the value of a decimal number that is an integer.
///
/// `2.0` and `1e2` are integers too: JSON has one type of number, and data frames write a
/// column of integers with gaps as `2.0`.
///
/// - Throws: `notAnInteger` for a fraction or other text, or `tooLarge` if an `Int` cannot
///   represent the number.
package func parseInteger(_ text: UnsafeRawBufferPointer) throws(NumberError) -> Int {
  guard let decimal = DecimalText(text) else { throw .notAnInteger }
  if decimal.mantissa == 0 { return 0 }
  if decimal.isTruncated { throw decimal.exponent < 0 ? .notAnInteger : .tooLarge }
  var magnitude = decimal.mantissa
  var exponent = decimal.exponent
  while exponent < 0 {
    let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
    guard remainder == 0 else { throw .notAnInteger }
    magnitude = quotient
    exponent += 1
  }
  while exponent > 0 {
    let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
    guard !overflow else { throw .tooLarge }
    magnitude = product
    exponent -= 1
  }
  if decimal.isNegative {
    guard magnitude <= Int.min.magnitude else { throw .tooLarge }
    return Int(truncatingIfNeeded: 0 &- magnitude)
  }
  guard let value = Int(exactly: magnitude) else { throw .tooLarge }
  return value
}
