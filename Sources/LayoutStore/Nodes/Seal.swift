import SumTree

/// The envelope of every node: a format version and a checksum in front of the payload.
///
/// ```
/// offset 0   1 byte    format version, 1
/// offset 1   8 bytes   SipHash-1-3 of the payload, little-endian
/// offset 9   …         payload
/// ```
///
/// The checksum's tweak is the node's id, so a node stored under another id is detected too.
package enum Seal {
  package static let version: UInt8 = 1
  package static let headerBytes = 9

  /// Returns the sealed blob for a payload.
  package static func seal(_ payload: [UInt8], identity: UInt64, hash: KeyedHash) -> [UInt8] {
    let checksum = payload.withUnsafeBytes { hash($0, tweak: identity) }
    var blob: [UInt8] = []
    blob.reserveCapacity(headerBytes + payload.count)
    blob.append(version)
    withUnsafeBytes(of: checksum.littleEndian) { blob.append(contentsOf: $0) }
    blob.append(contentsOf: payload)
    return blob
  }

  /// Returns the checked payload of a node's sealed blob, valid as long as the blob's memory.
  ///
  /// - Throws: ``StoreError`` with `corruptNode`.
  static func open(
    _ blob: UnsafeRawBufferPointer, of id: NodeID, hash: KeyedHash, path: String
  ) throws(StoreError) -> UnsafeRawBufferPointer {
    func corrupt(_ detail: String) -> StoreError {
      StoreError(.corruptNode(id, detail: detail), path: path)
    }
    guard blob.count >= headerBytes else { throw corrupt("is truncated") }
    guard blob[0] == version else { throw corrupt("has an unknown format version") }
    let stored = UInt64(littleEndian: blob.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
    let payload = UnsafeRawBufferPointer(rebasing: blob[headerBytes...])
    guard hash(payload, tweak: id.rawValue) == stored else { throw corrupt("has a wrong checksum") }
    return payload
  }
}

/// An incremental digest of 16 bytes, the same in every process and for every file.
///
/// It detects accidental differences. Its keys are public, so other bytes with the same digest
/// can be constructed deliberately.
package struct RunningDigest: Hashable, Sendable {
  /// Two hashes with keys used only here.
  private static let hashes = (
    KeyedHash(key: Array(0x40..<0x50)), KeyedHash(key: Array(0x60..<0x70))
  )

  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// Creates a digest without pieces.
  package init() {}

  /// Appends the next piece. The digest depends on where pieces end.
  ///
  /// - Complexity: O(bytes).
  package mutating func append(_ piece: UnsafeRawBufferPointer) {
    // The previous pieces as the tweak distinguish equal pieces in different positions.
    low = Self.hashes.0(piece, tweak: low)
    high = Self.hashes.1(piece, tweak: high)
  }

  /// The digest of the pieces so far, 16 bytes.
  package var bytes: [UInt8] {
    [low, high].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * UInt64($0))) }
    }
  }
}
