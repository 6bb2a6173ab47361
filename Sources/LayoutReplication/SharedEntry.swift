import LayoutCache
import LayoutStore
import SumTree

/// A row of a log shared by several nodes. Its entries determine, in one sequence, everything
/// that a dataset's layouts return.
///
/// The sequence counts all entries; the revision counts only the changes that users see. Pinning
/// a layout advances the sequence but not the revision, so that a first query does not invalidate
/// an expected revision.
package struct SharedEntry: Hashable, Sendable {
  package enum Kind: Int16, Hashable, Sendable, CaseIterable {
    /// A batch of resolved operations, as in the log of a file; without operations if only its
    /// request is recorded.
    case batch = 0
    /// A layout was attached, changed, renamed or removed, or a named view set or removed.
    case definition = 1
    /// A layout's result begins here: it is laid out from the dataset at this position.
    case pin = 2
    /// The dataset's items are those of an archive.
    case archive = 3
    /// The version of the layout rules that applies from here on.
    case rules = 4
  }

  /// The entry's number; the first after the creation of the dataset is 1.
  package var sequence: Int
  /// The dataset's revision after the entry.
  package var revision: Int
  package var kind: Kind
  /// The unique 16-byte ID of the proposal, which is the same when it is sent again.
  package var proposal: [UInt8]
  /// The request that the entry applies, as ``IdempotentRequest`` encodes it; `nil` for none.
  package var request: [UInt8]?
  package var payload: [UInt8]
  /// The time of the proposal, in milliseconds since 1970, by the proposer's clock.
  package var time: Int64
  /// A hash over all entries up to this one; see ``SharedPosition/chain``.
  package var chain: [UInt8]

  package init(
    sequence: Int, revision: Int, kind: Kind, proposal: [UInt8], request: [UInt8]?,
    payload: [UInt8], time: Int64, chain: [UInt8]
  ) {
    (self.sequence, self.revision, self.kind, self.proposal) = (sequence, revision, kind, proposal)
    (self.request, self.payload, self.time, self.chain) = (request, payload, time, chain)
  }
}

extension [UInt8] {
  /// Returns 16 random bytes.
  package static func randomName() -> [UInt8] { RandomSource.system.bytes(16) }

  /// Returns 16 bytes: 6 of the time in milliseconds since 1970, so that names created in
  /// sequence are adjacent in an index, and 10 random ones.
  package static func risingName() -> [UInt8] {
    let time = UInt64(clamping: WallClock.system.now())
    var name = Swift.withUnsafeBytes(of: (time << 16).bigEndian) { [UInt8]($0.prefix(6)) }
    name += randomName().prefix(10)
    return name
  }
}

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
    writer.writeCounted(chain)
    for number in [Int64(sequence), Int64(revision), Int64(kind.rawValue), time] {
      writer.writeSignedVarint(number)
    }
    writer.writeCounted(proposal)
    writer.writeCount(request.map { $0.count + 1 } ?? 0)
    writer.writeBytes(request ?? [])
    writer.writeCounted(payload)
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

// The entries of one append, as the log stores them: in one value.

extension [SharedEntry] {
  // chain before  length as varint, bytes
  // revision      of the first entry, varint
  // time          of the first entry, signed varint
  // of each entry, to the end:
  //   kind          u8
  //   revision      signed varint: the difference from the previous entry; absent for the first
  //   time          signed varint: the difference from the previous entry; absent for the first
  //   proposal      16 bytes
  //   request       0, or length + 1 as varint, bytes
  //   payload       length as varint, bytes
  //
  // The chains follow from the chain before and the contents.

  /// Returns the encoding of entries that were appended together.
  ///
  /// - Parameter chain: The chain before the first.
  package func encoded(after chain: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeCounted(chain)
    var last: SharedEntry?
    for entry in self {
      if let last {
        writer.writeUInt8(UInt8(entry.kind.rawValue))
        writer.writeSignedVarint(Int64(entry.revision - last.revision))
        writer.writeSignedVarint(entry.time &- last.time)
      } else {
        writer.writeCount(entry.revision)
        writer.writeSignedVarint(entry.time)
        writer.writeUInt8(UInt8(entry.kind.rawValue))
      }
      precondition(entry.proposal.count == 16, "a proposal has 16 bytes")
      writer.writeBytes(entry.proposal)
      writer.writeCount(entry.request.map { $0.count + 1 } ?? 0)
      writer.writeBytes(entry.request ?? [])
      writer.writeCounted(entry.payload)
      last = entry
    }
    return writer.bytes
  }

  /// Decodes entries that were appended together.
  ///
  /// - Parameters:
  ///   - first: The sequence of the first.
  ///   - chain: The chain of the last.
  /// - Returns: The entries before the first of a kind that only newer versions know, and whether
  ///   these are all.
  /// - Throws: `ByteError` if the bytes are malformed, or do not lead to the chain.
  package static func decode(
    _ bytes: [UInt8], first: Int, chain: [UInt8]
  ) throws -> (entries: [SharedEntry], isWhole: Bool) {
    try ByteReader.read(bytes) { reader in
      var last = try reader.readCounted(limit: 64)
      var revision = try reader.readCount(limit: .max)
      var time = try reader.readSignedVarint()
      var entries: [SharedEntry] = []
      while entries.isEmpty || reader.remaining > 0 {
        // The size of an entry of a newer kind is unknown, so none after it can be read.
        guard let kind = SharedEntry.Kind(rawValue: Int16(try reader.readUInt8())) else {
          return (entries, false)
        }
        if !entries.isEmpty {
          revision &+= Int(try reader.readSignedVarint())
          time &+= try reader.readSignedVarint()
        }
        let proposal = try reader.readBytes(count: 16)
        let requestCount = try reader.readCount(limit: .max)
        let request =
          requestCount == 0 ? nil : try reader.readBytes(count: requestCount - 1)
        let entry = SharedEntry(
          sequence: first + entries.count, revision: revision, kind: kind, proposal: proposal,
          request: request, payload: try reader.readCounted(limit: .max),
          time: time, chain: []
        ).sealed(after: last)
        last = entry.chain
        entries.append(entry)
      }
      guard last == chain else {
        throw reader.malformed("entries from \(first) on that do not lead to their chain")
      }
      return (entries, true)
    }
  }
}
