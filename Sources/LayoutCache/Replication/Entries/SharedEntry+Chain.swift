import LayoutStore
import SumTree

extension SharedEntry {
  /// Returns the entry as the next one after `chain`, with the resulting chain.
  package func sealed(after chain: [UInt8]) -> SharedEntry {
    var entry = self
    entry.chain = link(after: chain)
    return entry
  }

  /// Returns whether the entry is the next one after `chain`.
  package func isNext(after chain: [UInt8]) -> Bool { self.chain == link(after: chain) }

  // chain before  length as varint, bytes
  // sequence, revision, kind, time  signed varints
  // proposal      length as varint, bytes
  // request       0, or length + 1 as varint, bytes
  // payload       length as varint, bytes

  /// Returns a hash of the previous chain and the entry's content.
  ///
  /// It detects histories that diverged by mistake, such as that of a server restored from a
  /// backup. It does not protect against forgery: every writer of the log is trusted.
  private func link(after chain: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeCount(chain.count)
    writer.writeBytes(chain)
    for number in [Int64(sequence), Int64(revision), Int64(kind.rawValue), time] {
      writer.writeSignedVarint(number)
    }
    writer.writeCount(proposal.count)
    writer.writeBytes(proposal)
    writer.writeCount(request.map { $0.count + 1 } ?? 0)
    writer.writeBytes(request ?? [])
    writer.writeCount(payload.count)
    writer.writeBytes(payload)
    return writer.bytes.withUnsafeBytes { bytes in
      Self.hashes.flatMap { hash in
        withUnsafeBytes(of: hash(bytes).bigEndian) { Array($0) }
      }
    }
  }

  /// The hash functions, which are the same on all nodes.
  private static let hashes = [
    KeyedHash(key: Array("layoutcache/log1".utf8)), KeyedHash(key: Array("layoutcache/log2".utf8)),
  ]
}
