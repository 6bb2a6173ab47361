/// A bounds-checked reader over borrowed bytes: the inverse of `ByteWriter`.
/// A reader is passed `inout` for the duration of a closure and cannot be copied, so that it
/// does not outlive the memory it points to. It trusts no input: for any bytes, each call
/// returns a value or throws `ByteError`, and no number read from the bytes is used as the size
/// of an allocation unless it passed `readCount(limit:)`.
///
///     try ByteReader.read([0xAC, 0x02]) { reader in
///       try reader.readVarint()  // 300
///     }
///
/// After a throw the reader's `offset` is that of the value that failed.
@usableFromInline package struct ByteReader: ~Copyable {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var position = 0
  @usableFromInline let nodeIDs: ClosedRange<UInt64>

  /// Creates a reader at the first of `bytes`.
  ///
  /// - Parameter nodeIDs: The valid IDs of nodes named in the bytes: those of the owner's
  ///   nodes, which are the only ones that it may change.
  /// - Precondition: The memory stays valid and unchanged while the reader is used.
  @inlinable
  package init(_ bytes: UnsafeRawBufferPointer, nodeIDs: ClosedRange<UInt64> = 1...UInt64.max) {
    self.bytes = bytes
    self.nodeIDs = nodeIDs
  }

  /// Calls `body` with a reader at the first of `bytes` and returns its result.
  @inlinable
  package static func read<Result>(
    _ bytes: [UInt8], nodeIDs: ClosedRange<UInt64> = 1...UInt64.max,
    _ body: (inout ByteReader) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer, nodeIDs: nodeIDs)
      return try body(&reader)
    }
  }

  /// The offset of the next byte from the start of the buffer.
  @inlinable
  package var offset: Int { position }

  /// The number of unread bytes.
  @inlinable
  package var remaining: Int { bytes.count &- position }

  /// Whether all bytes have been read.
  @inlinable
  package var isAtEnd: Bool { remaining == 0 }

  /// Returns the error "malformed" at the current position, for a decoder that finds a rule of
  /// its format violated.
  @inlinable
  package func malformed(_ what: String) -> ByteError {
    ByteError(code: .malformed(what), offset: position)
  }

  /// Throws `malformed` unless all bytes have been read.
  @inlinable
  package func expectEnd() throws(ByteError) {
    guard isAtEnd else { throw malformed("\(remaining) bytes left over") }
  }
}

// MARK: - Numbers

extension ByteReader {
  /// Reads one byte.
  @inlinable
  package mutating func readUInt8() throws(ByteError) -> UInt8 {
    guard position < bytes.count else { throw ByteError(code: .truncated, offset: position) }
    let byte = bytes[position]
    position &+= 1
    return byte
  }

  /// Consumes the next byte if it has the given value.
  ///
  /// - Returns: Whether it was consumed.
  @inlinable
  package mutating func skip(_ byte: UInt8) throws(ByteError) -> Bool {
    guard position < bytes.count else { throw ByteError(code: .truncated, offset: position) }
    guard bytes[position] == byte else { return false }
    position &+= 1
    return true
  }

  /// Reads a LEB128 number of one to ten bytes.
  ///
  /// Overlong codings (such as `80 00` for zero) are accepted.
  ///
  /// - Throws: `ByteError` `truncated`, or `overflow` if the number exceeds 64 bits.
  @inlinable
  package mutating func readVarint() throws(ByteError) -> UInt64 {
    guard position < bytes.count else { throw ByteError(code: .truncated, offset: position) }
    let first = bytes[position]
    if first < 0x80 {
      position &+= 1
      return UInt64(first)
    }
    return try readLongVarint(first: first)
  }

  @inlinable
  mutating func readLongVarint(first: UInt8) throws(ByteError) -> UInt64 {
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    var next = position &+ 1
    while next < bytes.count {
      let byte = bytes[next]
      next &+= 1
      // The tenth byte contains only bit 63.
      guard shift < 63 || byte <= 1 else { throw ByteError(code: .overflow, offset: position) }
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 {
        position = next
        return value
      }
      shift &+= 7
    }
    throw ByteError(code: .truncated, offset: position)
  }

  /// Reads a zigzag-coded LEB128 number of one to ten bytes.
  ///
  /// - Throws: As `readVarint()`.
  @inlinable
  package mutating func readSignedVarint() throws(ByteError) -> Int64 {
    let value = try readVarint()
    return Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
  }
}

// MARK: - Ids

extension ByteReader {
  /// Reads a node's ID.
  ///
  /// - Throws: `ByteError` `malformed` for an ID outside the valid range, otherwise as
  ///   `readVarint()`.
  @inlinable
  package mutating func readNodeID() throws(ByteError) -> NodeID {
    let start = position
    let value = try readVarint()
    guard nodeIDs.contains(value), let id = NodeID(rawValue: value) else {
      throw ByteError(code: .malformed("node id \(value)"), offset: start)
    }
    return id
  }
}

// MARK: - Counts and raw bytes

extension ByteReader {
  /// Reads a count that may be at most `limit`.
  ///
  /// If each counted element takes at least `sizeMin` bytes in this buffer, pass it: counts that
  /// exceed the remaining bytes are rejected, so that the result is safe for reserving memory.
  ///
  /// - Throws: `ByteError` `malformed` above the limit, otherwise as `readVarint()`.
  @inlinable
  package mutating func readCount(limit: Int, sizeMin: Int = 0) throws(ByteError) -> Int {
    let start = position
    let value = try readVarint()
    guard value <= UInt64(limit) else {
      throw ByteError(code: .malformed("count \(value) exceeds \(limit)"), offset: start)
    }
    guard sizeMin == 0 || Int(value) <= remaining / sizeMin else {
      throw ByteError(code: .truncated, offset: start)
    }
    return Int(value)
  }

  /// Reads numbers of at least 1.
  ///
  /// - Parameter limit: The maximum of their sum, so that no sum of them overflows.
  /// - Throws: As ``readCount(limit:sizeMin:)``.
  package mutating func readCounts(_ count: Int, sumMax limit: Int) throws(ByteError) -> [Int64] {
    var counts: [Int64] = []
    counts.reserveCapacity(count)
    var rest = limit
    for _ in 0..<count {
      let next = try readCount(limit: rest)
      guard next > 0 else { throw malformed("count 0") }
      rest -= next
      counts.append(Int64(next))
    }
    return counts
  }

  /// Reads `count` raw bytes.
  ///
  /// - Throws: `ByteError` `truncated` if there are fewer, before any memory is allocated.
  @inlinable
  package mutating func readBytes(count: Int) throws(ByteError) -> [UInt8] {
    try readBytes(count: count) { (buffer) throws(ByteError) in [UInt8](buffer) }
  }

  /// Reads bytes after their count.
  ///
  /// - Throws: As ``readCount(limit:sizeMin:)`` and ``readBytes(count:)``.
  package mutating func readCounted(limit: Int) throws(ByteError) -> [UInt8] {
    try readBytes(count: readCount(limit: limit))
  }

  /// Reads a text after the count of its UTF-8 bytes.
  ///
  /// - Throws: As ``readCounted(limit:)``; `malformed` for others, which repaired would be longer.
  package mutating func readText(limit: Int) throws(ByteError) -> String {
    guard let text = String(validating: try readCounted(limit: limit), as: UTF8.self) else {
      throw malformed("text that is not UTF-8")
    }
    return text
  }

  /// Lends the next `count` bytes to `body` without copying them.
  ///
  /// - Throws: `ByteError` `truncated` if there are fewer, and the errors of `body`.
  @inlinable
  package mutating func readBytes<Result>(
    count: Int, _ body: (UnsafeRawBufferPointer) throws(ByteError) -> Result
  ) throws(ByteError) -> Result {
    guard count >= 0, count <= remaining else {
      throw ByteError(code: .truncated, offset: position)
    }
    let result = try body(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    position &+= count
    return result
  }
}
