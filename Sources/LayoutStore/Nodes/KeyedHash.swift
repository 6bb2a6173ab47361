/// SipHash-1-3 with a secret key: the hash that indexes item keys, and the checksum of stored data.
///
/// The key is random for each database. So colliding item keys cannot be prepared, and a payload
/// copied from another file fails the check.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), with
/// one compression and three finalization rounds, as Swift's own `Hasher`.
package struct KeyedHash: Hashable, Sendable {
  private let k0: UInt64
  private let k1: UInt64

  /// - Precondition: The key has 16 bytes.
  package init(key: [UInt8]) {
    precondition(key.count == 16, "a SipHash key has 16 bytes")
    (k0, k1) = key.withUnsafeBytes {
      (
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  /// Returns the hash of some bytes.
  ///
  /// - Parameter tweak: A number that makes equal bytes in different positions hash differently,
  ///   such as a node's id; 0 is plain SipHash-1-3.
  /// - Complexity: O(bytes), about 2 bytes per nanosecond.
  package func callAsFunction(_ bytes: UnsafeRawBufferPointer, tweak: UInt64 = 0) -> UInt64 {
    var v0 = k0 ^ 0x736f_6d65_7073_6575
    var v1 = k1 ^ tweak ^ 0x646f_7261_6e64_6f6d
    var v2 = k0 ^ 0x6c79_6765_6e65_7261
    var v3 = k1 ^ tweak ^ 0x7465_6462_7974_6573

    @inline(__always) func round() {
      v0 &+= v1
      v1 = (v1 << 13 | v1 >> 51) ^ v0
      v0 = v0 << 32 | v0 >> 32
      v2 &+= v3
      v3 = (v3 << 16 | v3 >> 48) ^ v2
      v0 &+= v3
      v3 = (v3 << 21 | v3 >> 43) ^ v0
      v2 &+= v1
      v1 = (v1 << 17 | v1 >> 47) ^ v2
      v2 = v2 << 32 | v2 >> 32
    }

    let wordsEnd = bytes.count & ~7
    var offset = 0
    while offset < wordsEnd {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      v3 ^= word
      round()
      v0 ^= word
      offset += 8
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    var shift: UInt64 = 0
    while offset < bytes.count {
      last |= UInt64(bytes[offset]) << shift
      shift += 8
      offset += 1
    }
    v3 ^= last
    round()
    v0 ^= last
    v2 ^= 0xff
    round()
    round()
    round()
    return v0 ^ v1 ^ v2 ^ v3
  }
}
