import LayoutStore
import Testing

@Suite struct KeyedHashTests {
  /// SipHash-1-3 under the key 00 01 … 0F of the first n of the bytes 00 01 02 …
  /// Source: the tests of Rust's `core::hash::sip`, `test_siphash_1_3`.
  static let vectors: [Int: [UInt8]] = [
    0: [0xdc, 0xc4, 0x0f, 0x05, 0x58, 0x01, 0xac, 0xab],
    1: [0x93, 0xca, 0x57, 0x7d, 0xf3, 0x9b, 0xf4, 0xc9],
    2: [0x4d, 0xd4, 0xc7, 0x4d, 0x02, 0x9b, 0xcb, 0x82],
    3: [0xfb, 0xf7, 0xdd, 0xe7, 0xb8, 0x0a, 0xf8, 0x8b],
    7: [0x40, 0x11, 0xb1, 0x9b, 0x98, 0x7d, 0x92, 0xd3],
    8: [0x8e, 0x9a, 0x29, 0x8d, 0x11, 0x95, 0x90, 0x36],
    9: [0xe4, 0x3d, 0x06, 0x6c, 0xb3, 0x8e, 0xa4, 0x25],
    16: [0x66, 0x8b, 0x90, 0x7d, 0x1a, 0xdd, 0x4f, 0xcc],
  ]

  @Test func theHashEqualsPublishedVectors() {
    let hash = KeyedHash(key: Array(0..<16))
    for (length, vector) in Self.vectors {
      let value = Array(UInt8(0)..<UInt8(length)).withUnsafeBytes { hash($0) }
      #expect(withUnsafeBytes(of: value.littleEndian) { Array($0) } == vector, "\(length) bytes")
    }
  }

  @Test func keysTweaksAndLengthsGiveDifferentHashes() {
    let bytes = [UInt8](repeating: 0, count: 64)
    var hashes: Set<UInt64> = []
    for key in UInt8(0)..<2 {
      let hash = KeyedHash(key: [UInt8](repeating: key, count: 16))
      for length in 0...64 {
        for tweak in UInt64(0)..<3 {
          let prefix = Array(bytes[..<length])
          hashes.insert(prefix.withUnsafeBytes { hash($0, tweak: tweak) })
        }
      }
    }
    #expect(hashes.count == 2 * 65 * 3)
  }
}
