import SumTree

@testable package import LayoutCache

extension LayoutCache {
  /// The archive of a dataset, in one piece.
  package func archive(of dataset: String = "feed") throws -> [UInt8] {
    let bytes = Collected()
    let summary = try exportArchive(of: dataset) { bytes.bytes += $0 }
    precondition(summary.byteCount == bytes.bytes.count)
    return bytes.bytes
  }

  /// Loads an archive in pieces of a length.
  @discardableResult
  package func load(
    _ archive: [UInt8], as dataset: String = "feed", replacing: Bool = false,
    pieces: Int = 1 << 16
  ) throws -> ArchiveSummary {
    let source = Pieces(archive, of: pieces)
    return try loadArchive(as: dataset, replacing: replacing, next: source.next)
  }

  private final class Collected {
    var bytes: [UInt8] = []
  }
}

/// Bytes that are returned piece by piece.
package final class Pieces {
  private let bytes: [UInt8]
  private let length: Int
  /// The number of bytes returned.
  package private(set) var count = 0

  package init(_ bytes: [UInt8], of length: Int) {
    (self.bytes, self.length) = (bytes, length)
  }

  package func next() -> [UInt8]? {
    guard count < bytes.count else { return nil }
    let end = min(bytes.count, count + length)
    defer { count = end }
    return Array(bytes[count..<end])
  }
}

package struct ArchiveRecords {
  package var records: [(kind: ArchiveRecord, payload: [UInt8])] = []

  /// All records except the last, which follows from the others.
  package init(_ archive: [UInt8]) throws {
    try ByteReader.read(archive) { reader in
      _ = try reader.readBytes(count: ArchiveRecord.magic.count)
      while !reader.isAtEnd {
        guard let kind = ArchiveRecord(rawValue: try reader.readUInt8()) else {
          throw reader.malformed("kind")
        }
        let payload = try reader.readBytes(count: reader.readCount(limit: 1 << 30))
        if kind != .end { records.append((kind, payload)) }
      }
    }
  }

  /// An archive of the records, with a valid digest.
  package var archive: [UInt8] {
    get throws {
      final class Collected { var bytes: [UInt8] = [] }
      let collected = Collected()
      var writer = try ArchiveWriter(chunkBytes: 256 << 10) { collected.bytes += $0 }
      for record in records { try writer.write(record.kind) { $0.writeBytes(record.payload) } }
      _ = try writer.finish()
      return collected.bytes
    }
  }
}
