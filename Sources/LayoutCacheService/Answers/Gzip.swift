import LayoutCacheZlib

/// Gzip compression, RFC 1952.
enum Gzip {
  /// The minimum size to compress, in bytes: below it the header and the time outweigh the savings.
  static let bytesMin = 1_024
  /// The compression levels with the least time and the smallest output.
  static let (fastest, smallest): (Int32, Int32) = (1, 9)
  /// The largest window, with a gzip header.
  private static let windowBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 8

  /// - Returns: `nil` if the result would not be shorter.
  static func compress(_ bytes: [UInt8], level: Int32 = fastest) -> [UInt8]? {
    var stream = z_stream()
    let hasBegun = deflateInit2_(
      &stream, level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard hasBegun == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      let compressed = [UInt8](unsafeUninitializedCapacity: input.count) { output, count in
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        if deflate(&stream, Z_FINISH) == Z_STREAM_END {
          count = output.count - Int(stream.avail_out)
        }
      }
      return compressed.isEmpty ? nil : compressed
    }
  }
}
