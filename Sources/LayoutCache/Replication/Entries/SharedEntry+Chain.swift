import LayoutStore
import SumTree

extension SharedEntry {
  /// The entry as the next after a chain, with the chain that it leads to.
  package func sealed(behind chain: [UInt8]) -> SharedEntry {
    var entry = self
    entry.chain = link(behind: chain)
    return entry
  }

  /// Whether the entry continues from a chain.
  package func isNext(behind chain: [UInt8]) -> Bool { self.chain == link(behind: chain) }

  // chain before  length as varint, bytes
  // sequence, revision, kind, time  signed varints
  // proposal      length as varint, bytes
  // request       0, or length + 1 as varint, bytes
  // payload       length as varint, bytes

  /// A hash of the chain before and of all that the entry says.
  ///
  /// It finds histories that have parted by mistake, such as that of a server which was
  /// restored from a backup; nobody forges entries who may write them.
  private func link(behind chain: [UInt8]) -> [UInt8] {
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

  /// The same on all nodes.
  private static let hashes = [
    KeyedHash(key: Array("layoutcache/log1".utf8)), KeyedHash(key: Array("layoutcache/log2".utf8)),
  ]
}
