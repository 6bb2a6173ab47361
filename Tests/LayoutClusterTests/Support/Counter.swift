import LayoutCache
import LayoutReplication

/// A number computed from the payloads of a log's entries, in their order, and the position in
/// the log.
struct Counter {
  private(set) var value: UInt64
  private(set) var revision: Int
  private(set) var position: SharedPosition

  /// Creates the state of a dataset without entries.
  init(begin: SharedPosition) {
    value = 0
    revision = 1
    position = begin
  }

  /// Creates a counter from its ``bytes`` at a position.
  init(_ bytes: [UInt8], at position: SharedPosition) {
    self.position = position
    value = Self.number(bytes[..<8])
    revision = Int(Self.number(bytes[8...]))
  }

  var bytes: [UInt8] { Self.bytes(value) + Self.bytes(UInt64(revision)) }

  var digest: String { "\(value)" }

  /// Returns the next entry.
  func entry(proposal: [UInt8], payload: [UInt8]) -> SharedEntry {
    SharedEntry(
      sequence: position.sequence + 1, revision: revision + 1, kind: .batch,
      proposal: proposal, request: nil, payload: payload, time: 0, chain: []
    ).sealed(after: position.chain)
  }

  mutating func apply(_ entry: SharedEntry) {
    value = Self.hash(Self.bytes(value) + entry.payload)
    revision = entry.revision
    position.sequence = entry.sequence
    position.chain = entry.chain
  }

  /// FNV-1a.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
