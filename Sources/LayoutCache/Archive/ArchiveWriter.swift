import LayoutStore
import SumTree

/// Writes the records of an archive, and passes it on in chunks.
struct ArchiveWriter {
  private let chunkBytes: Int
  private let chunk: ([UInt8]) throws -> Void
  private var pending: [UInt8] = []
  private var payload = ByteWriter()
  private var record = ByteWriter()
  private var byteCount = 0
  private var digest = RunningDigest()

  /// - Parameter chunk: Receives `chunkBytes` bytes at a time, and finally the rest.
  init(chunkBytes: Int, chunk: @escaping ([UInt8]) throws -> Void) throws {
    (self.chunkBytes, self.chunk) = (chunkBytes, chunk)
    record.writeBytes(ArchiveRecord.magic)
    try append()
  }

  /// Writes a record.
  ///
  /// - Throws: The errors of `encode` and of `chunk`.
  mutating func write(
    _ kind: ArchiveRecord, _ encode: (inout ByteWriter) throws -> Void
  ) throws {
    payload.removeAll()
    try encode(&payload)
    record.writeUInt8(kind.rawValue)
    record.writeCount(payload.count)
    record.writeBytes(payload.bytes)
    try append()
    LongWork.giveWay()
  }

  /// Ends the archive.
  ///
  /// - Returns: Its length, and the digest of everything before the last record.
  mutating func finish() throws -> (byteCount: Int, digest: [UInt8]) {
    let digest = digest.bytes
    try write(.end) { $0.writeBytes(digest) }
    if !pending.isEmpty { try chunk(pending) }
    pending = []
    return (byteCount, digest)
  }

  /// Appends the written bytes as one piece.
  private mutating func append() throws {
    record.bytes.withUnsafeBytes { digest.append($0) }
    byteCount += record.count
    pending += record.bytes
    record.removeAll()
    while pending.count >= chunkBytes {
      try chunk(Array(pending.prefix(chunkBytes)))
      pending.removeFirst(chunkBytes)
    }
  }
}
