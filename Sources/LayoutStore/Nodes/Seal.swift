/// The envelope of every node: a format version and a checksum in front of the
/// payload.
///
/// ```
/// offset 0   1 byte    format version, 1
/// offset 1   8 bytes   SipHash-1-3 of the payload, little-endian
/// offset 9   …         payload
/// ```
///
/// The checksum's tweak is the node's id, so a node that ended up under another one
/// is found too.
package enum Seal {
  package static let version: UInt8 = 1
  package static let headerBytes = 9

  /// The sealed blob for a payload.
  package static func seal(_ payload: [UInt8], identity: UInt64, hash: KeyedHash) -> [UInt8] {
    let checksum = payload.withUnsafeBytes { hash($0, tweak: identity) }
    var blob: [UInt8] = []
    blob.reserveCapacity(headerBytes + payload.count)
    blob.append(version)
    withUnsafeBytes(of: checksum.littleEndian) { blob.append(contentsOf: $0) }
    blob.append(contentsOf: payload)
    return blob
  }

  /// The kind of damage of a blob.
  package enum Breach: String, Error {
    case truncated = "is truncated"
    case version = "has an unknown format version"
    case checksum = "has a wrong checksum"
  }

  /// The payload of a sealed blob, checked; it lives as long as the blob's memory.
  package static func open(
    _ blob: UnsafeRawBufferPointer, identity: UInt64, hash: KeyedHash
  ) throws(Breach) -> UnsafeRawBufferPointer {
    guard blob.count >= headerBytes else { throw .truncated }
    guard blob[0] == version else { throw .version }
    let stored = UInt64(littleEndian: blob.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
    let payload = UnsafeRawBufferPointer(rebasing: blob[headerBytes...])
    guard hash(payload, tweak: identity) == stored else { throw .checksum }
    return payload
  }
}
