/// Appends an integer in decimal notation.
func appendDecimal(_ value: Int, to bytes: inout [UInt8]) {
  if value < 0 { bytes.append(UInt8(ascii: "-")) }
  appendDigits(UInt64(value.magnitude), to: &bytes)
}

/// Appends a decimal that parses as the same double, without `.0`: for a multiple of 1/64 the
/// exact one, otherwise the shortest.
///
/// Minus zero is written `-0`, which parses as minus zero.
///
/// - Precondition: The value is finite.
func appendDecimal(_ value: Double, to bytes: inout [UInt8]) {
  precondition(value.isFinite, "only finite numbers have a decimal notation")
  // Lengths are multiples of 1/64, whose decimals end after six digits.
  if value.magnitude < 0x1p53, let units = Int64(exactly: value.magnitude * 64) {
    if value.sign == .minus { bytes.append(UInt8(ascii: "-")) }
    appendDigits(UInt64(units >> 6), to: &bytes)
    appendFraction(millionths: UInt32(units & 63) * 15_625, to: &bytes)
    return
  }
  var text = value.description
  if text.hasSuffix(".0") { text.removeLast(2) }
  bytes.append(contentsOf: text.utf8)
}

private func appendDigits(_ value: UInt64, to bytes: inout [UInt8]) {
  let start = bytes.count
  var rest = value
  repeat {
    bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
    rest /= 10
  } while rest > 0
  bytes[start...].reverse()
}

private func appendFraction(millionths: UInt32, to bytes: inout [UInt8]) {
  var rest = millionths
  guard rest > 0 else { return }
  bytes.append(UInt8(ascii: "."))
  var place: UInt32 = 100_000
  while rest > 0 {
    bytes.append(UInt8(ascii: "0") + UInt8(rest / place))
    rest %= place
    place /= 10
  }
}
