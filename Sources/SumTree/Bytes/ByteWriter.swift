/// An append-only buffer of bytes, used for all encoding.
///
/// Varints are LEB128: seven bits per byte, least significant first, with the high bit set on all
/// but the last byte. Signed varints are zigzag-coded first, so that small magnitudes stay short.
///
///     var writer = ByteWriter()
///     writer.writeVarint(300)
///     writer.writeSignedVarint(-1)
///     // writer.bytes == [0xAC, 0x02, 0x01]
///
/// Source: https://protobuf.dev/programming-guides/encoding/#varints
@usableFromInline package struct ByteWriter: Sendable {
  /// The bytes written so far.
  @usableFromInline package internal(set) var bytes: [UInt8]

  /// Creates an empty writer with room for `capacity` bytes. The default fits most rows and
  /// batches, whose bytes would otherwise be moved two or three times while they grow.
  @usableFromInline package init(capacity: Int = 64) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// The number of bytes written so far.
  @usableFromInline package var count: Int { bytes.count }

  /// Removes the bytes, and keeps the memory for the next payload.
  @usableFromInline package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends one byte.
  @usableFromInline package mutating func writeUInt8(_ value: UInt8) {
    bytes.append(value)
  }

  /// Appends one to ten bytes, LEB128.
  @inline(__always)
  @usableFromInline package mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends one to ten bytes, zigzag-coded LEB128.
  @usableFromInline package mutating func writeSignedVarint(_ value: Int64) {
    writeVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Appends a count as a varint, to be read by `ByteReader.readCount(limit:)`.
  ///
  /// - Precondition: `count >= 0`.
  @usableFromInline package mutating func writeCount(_ count: Int) {
    writeVarint(UInt64(count))
  }

  /// Appends raw bytes, without their count.
  @inlinable
  package mutating func writeBytes(_ source: some Sequence<UInt8>) {
    bytes.append(contentsOf: source)
  }

  /// Appends bytes after their count.
  @inlinable
  package mutating func writeCounted(_ source: some Collection<UInt8>) {
    writeCount(source.count)
    writeBytes(source)
  }

  /// Appends the UTF-8 bytes of a text after their count.
  @inlinable
  package mutating func write(text: String) { writeCounted(text.utf8) }
}
