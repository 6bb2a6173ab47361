/// Returns a number in JSON's notation that is written in another one: `.5`, `5.`, `+5`, or with
/// a comma before its decimals.
///
/// - Returns: `nil` if it is none of these.
func relaxedNumber(_ text: UnsafeRawBufferPointer, usesDecimalComma: Bool) -> [UInt8]? {
  let (point, digits) = (UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"))
  guard text.contains(where: digits.contains), !text.starts(with: "+-".utf8) else { return nil }
  var number: [UInt8] = []
  var isAfterDigit = false
  for (offset, byte) in text.enumerated() {
    switch byte {
    case UInt8(ascii: "+") where offset == 0: continue
    case UInt8(ascii: ","), point:
      guard (byte == point) != usesDecimalComma else { return nil }
      if !isAfterDigit { number.append(UInt8(ascii: "0")) }
      number.append(point)
    case UInt8(ascii: "e"), UInt8(ascii: "E"):
      if number.last == point { number.append(UInt8(ascii: "0")) }
      number.append(byte)
    default: number.append(byte)
    }
    isAfterDigit = digits.contains(byte)
  }
  if number.last == point { number.append(UInt8(ascii: "0")) }
  return number
}
