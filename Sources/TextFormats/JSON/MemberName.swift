/// A wanted member's name, laid out for comparison with the bytes of a line.
struct MemberName {
  private let utf8: [UInt8]
  private let count: Int
  private let packed: UInt64

  init(_ name: String) {
    utf8 = Array(name.utf8)
    count = utf8.count
    packed = utf8.withUnsafeBytes { Self.pack($0) }
  }

  /// Whether bytes are the name.
  ///
  /// - Parameter packedBytes: What `pack` returns for the bytes. It is passed so
  ///   that it can be computed once for all names.
  @inline(__always)
  func matches(_ bytes: UnsafeRawBufferPointer, packedBytes: UInt64) -> Bool {
    guard count == bytes.count, packed == packedBytes else { return false }
    return count <= 8 || utf8.elementsEqual(bytes)
  }

  /// Returns the first eight bytes, fewer if there are fewer, as one number.
  @inline(__always)
  static func pack(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var packed: UInt64 = 0
    for byte in bytes.prefix(8) { packed = packed << 8 | UInt64(byte) }
    return packed
  }
}
