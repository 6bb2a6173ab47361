import LayoutGeometry

/// Writes the parts of a binary answer: unsigned numbers in groups of seven bits, the
/// lowest first, each but the last with its high bit set; signed ones with the sign as the
/// lowest bit; texts as UTF-8 after their length.
struct BinaryWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(byte: UInt8) { bytes.append(byte) }

  mutating func write(_ number: Int) { write(UInt64(number)) }

  mutating func write(signed number: Int64) {
    write(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// A length in its unit, 1/64 point.
  mutating func write(_ length: Length) { write(signed: length.units) }

  mutating func write(_ text: some StringProtocol) {
    write(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Eight bytes, the lowest first, of IEEE 754.
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
