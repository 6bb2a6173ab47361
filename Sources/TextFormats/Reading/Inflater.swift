import LayoutCacheZlib

/// Decompresses gzip (RFC 1952) in pieces, including files of several members, or the deflated
/// data (RFC 1951) of a ZIP archive.
///
/// Memory is bounded: the output is passed on in pieces, so that a small file which expands
/// without end is merely a long import.
package final class Inflater {
  /// The first bytes of a gzip file.
  static let magic: [UInt8] = [0x1F, 0x8B]
  private static let pieceBytes = 1 << 18
  /// The largest window.
  private static let windowBits: Int32 = 15

  private var stream = z_stream()
  private let output = UnsafeMutableRawBufferPointer.allocate(
    byteCount: pieceBytes, alignment: MemoryLayout<UInt64>.alignment)
  private let hasHeader: Bool
  /// Whether the data has ended, or a member has and the next has not begun.
  private(set) var hasEnded = false

  /// - Parameter hasHeader: Whether the data is gzip's.
  package init(hasHeader: Bool = true) {
    self.hasHeader = hasHeader
    let status = inflateInit2_(
      &stream, hasHeader ? Self.windowBits + 16 : -Self.windowBits, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "out of memory")
  }

  deinit {
    inflateEnd(&stream)
    output.deallocate()
  }

  /// Calls `body` with the decompressed pieces.
  ///
  /// - Returns: The number of bytes after the end of deflated data.
  /// - Throws: ``ImportError``, and the errors of `body`.
  package func inflate(
    _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    stream.next_in = UnsafeMutablePointer(mutating: piece.bindMemory(to: UInt8.self).baseAddress)
    stream.avail_in = UInt32(piece.count)
    repeat {
      if hasEnded {
        if stream.avail_in == 0 || !hasHeader { return Int(stream.avail_in) }
        inflateReset(&stream)
        hasEnded = false
      }
      stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.avail_out = UInt32(output.count)
      let status = LayoutCacheZlib.inflate(&stream, Z_NO_FLUSH)
      switch status {
      case Z_STREAM_END: hasEnded = true
      case Z_OK, Z_BUF_ERROR: break
      default: throw ImportError.damagedFile(hasHeader ? "gzip" : "ZIP")
      }
      let count = output.count - Int(stream.avail_out)
      if count > 0 { try body(UnsafeRawBufferPointer(rebasing: output[..<count])) }
    } while stream.avail_in > 0 || stream.avail_out == 0
    return 0
  }

  /// - Throws: ``ImportError`` if the last member is incomplete.
  package func finish() throws { if !hasEnded { throw ImportError.damagedFile("gzip") } }
}
