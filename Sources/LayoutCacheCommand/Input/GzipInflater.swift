import LayoutCacheZlib

/// Decompresses gzip (RFC 1952) in pieces, including files of several members, or the deflated
/// data (RFC 1951) of a ZIP archive.
///
/// Memory is bounded: the output is passed on in pieces, so that a small file which expands
/// without end is merely a long import.
final class GzipInflater {
  /// The first bytes of a gzip file.
  static let magic: [UInt8] = [0x1F, 0x8B]
  private static let pieceBytes = 1 << 18
  /// The largest window.
  private static let windowBits: Int32 = 15

  private var stream = z_stream()
  private let output = UnsafeMutableRawBufferPointer.allocate(
    byteCount: pieceBytes, alignment: MemoryLayout<UInt64>.alignment)
  /// Whether a member has ended and the next has not begun.
  private var isBetweenMembers = false

  /// - Parameter hasHeader: Whether the data is gzip's.
  init(hasHeader: Bool = true) {
    let status = inflateInit2_(
      &stream, hasHeader ? Self.windowBits + 16 : -Self.windowBits, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "out of memory")
  }

  deinit {
    inflateEnd(&stream)
    output.deallocate()
  }

  /// Invalid gzip data.
  struct Malformed: Error {}

  /// Calls `body` with the decompressed pieces.
  ///
  /// - Throws: ``Malformed``, and the errors of `body`.
  func inflate(
    _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    stream.next_in = UnsafeMutablePointer(
      mutating: piece.bindMemory(to: UInt8.self).baseAddress)
    stream.avail_in = UInt32(piece.count)
    repeat {
      if isBetweenMembers {
        if stream.avail_in == 0 { return }
        inflateReset(&stream)
        isBetweenMembers = false
      }
      stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.avail_out = UInt32(output.count)
      let status = LayoutCacheZlib.inflate(&stream, Z_NO_FLUSH)
      switch status {
      case Z_STREAM_END: isBetweenMembers = true
      case Z_OK, Z_BUF_ERROR: break
      default: throw Malformed()
      }
      let count = output.count - Int(stream.avail_out)
      if count > 0 { try body(UnsafeRawBufferPointer(rebasing: output[..<count])) }
    } while stream.avail_in > 0 || stream.avail_out == 0
  }

  /// - Throws: ``Malformed`` if the last member is incomplete.
  func finish() throws { if !isBetweenMembers { throw Malformed() } }
}
