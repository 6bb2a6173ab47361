import LayoutGeometry

/// Writes the parts of a binary answer. Unsigned numbers are LEB128: groups of seven bits, the
/// lowest first, with the high bit set on all but the last. Signed numbers have the sign in the
/// lowest bit. Texts are UTF-8 after their length.
struct BinaryWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(byte: UInt8) { bytes.append(byte) }

  mutating func append(_ other: BinaryWriter) { bytes += other.bytes }

  mutating func write(_ number: Int) { write(UInt64(number)) }

  mutating func write(signed number: Int64) {
    write(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Writes a length in units of 1/64 point.
  mutating func write(_ length: Length) { write(signed: length.units) }

  mutating func write(_ text: some StringProtocol) {
    write(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes an IEEE 754 double as eight bytes, the lowest first.
  mutating func write(_ number: Double) {
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func write(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
