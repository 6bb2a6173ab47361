import LayoutCache
import LayoutStore
import SumTree

/// An entry of a log shared by several nodes: a request at the place that the log has given it. Each
/// node decides the requests of a dataset in this order, with the same outcomes.
///
/// The sequence counts all entries; the revision counts only the changes that users see. A rejected
/// request, and one that pins a layout, advances the sequence but not the revision.
package struct SharedEntry: Hashable, Sendable {
  package enum Kind: Int16, Hashable, Sendable, CaseIterable {
    /// A change of the dataset, its layouts or its named views.
    case change = 0
    /// A layout's result begins here: it is laid out from the dataset at this position.
    case pin = 2
    /// The dataset's items are those of an archive.
    case archive = 3
  }

  /// The entry's number; the first after the creation of the dataset is 1.
  package var sequence: Int
  package var request: SharedRequest
  /// The chain of the entry before.
  package var before: [UInt8]
  /// The chain of the append that the entry belongs to; see ``SharedPosition/chain``.
  package var chain: [UInt8]

  package init(sequence: Int, _ request: SharedRequest, before: [UInt8], chain: [UInt8]) {
    (self.sequence, self.request, self.before, self.chain) = (sequence, request, before, chain)
  }

  package var kind: Kind { request.kind }

  /// Returns whether the entry is the next one after `chain`.
  package func isNext(after chain: [UInt8]) -> Bool { before == chain }
}

/// A request as a node appends it to a shared log.
package struct SharedRequest: Hashable, Sendable {
  package var kind: SharedEntry.Kind
  /// The unique 16-byte name of the request, which is the same when it is sent again.
  package var name: [UInt8]
  package var payload: [UInt8]
  /// The time of the request, in milliseconds since 1970, by the requesting node's clock.
  package var time: Int64

  package init(_ kind: SharedEntry.Kind, named name: [UInt8], payload: [UInt8], time: Int64) {
    (self.kind, self.name, self.payload, self.time) = (kind, name, payload, time)
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

// The requests of one append, as the log stores them: in one value.

extension [SharedRequest] {
  // of each request, to the end:
  //   kind     u8
  //   time     signed varint: the difference from the previous request, of the first from 0
  //   name     16 bytes
  //   payload  length as varint, bytes

  /// The encoding of requests that are appended together.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    var last: Int64 = 0
    for request in self {
      writer.writeUInt8(UInt8(request.kind.rawValue))
      writer.writeSignedVarint(request.time &- last)
      precondition(request.name.count == 16, "a name has 16 bytes")
      writer.writeBytes(request.name)
      writer.writeCounted(request.payload)
      last = request.time
    }
    return writer.bytes
  }

  /// The entries of the requests.
  ///
  /// - Parameters:
  ///   - first: The sequence of the first.
  ///   - before: The chain before the first.
  ///   - chain: The chain of the append.
  package func entries(from first: Int, before: [UInt8], chain: [UInt8]) -> [SharedEntry] {
    enumerated().map { index, request in
      SharedEntry(
        sequence: first + index, request, before: index == 0 ? before : chain, chain: chain)
    }
  }

  /// Decodes requests that were appended together.
  ///
  /// - Returns: The requests before the first of a kind that only newer versions know, and whether
  ///   these are all.
  /// - Throws: `ByteError`.
  package static func decode(
    _ bytes: [UInt8]
  ) throws -> (requests: [SharedRequest], isWhole: Bool) {
    try ByteReader.read(bytes) { reader in
      var time: Int64 = 0
      var requests: [SharedRequest] = []
      while reader.remaining > 0 {
        // The size of a request of a newer kind is unknown, so none after it can be read.
        guard let kind = SharedEntry.Kind(rawValue: Int16(try reader.readUInt8())) else {
          return (requests, false)
        }
        time &+= try reader.readSignedVarint()
        let name = try reader.readBytes(count: 16)
        requests.append(
          SharedRequest(
            kind, named: name, payload: try reader.readCounted(limit: .max), time: time))
      }
      return (requests, true)
    }
  }
}
