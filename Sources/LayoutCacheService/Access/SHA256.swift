/// The hash of tokens and request bodies, so that neither is stored.
///
/// The service needs no other cryptography; a library would be most of a first build.
///
/// Source: FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2,
/// https://csrc.nist.gov/pubs/fips/180-4/upd1/final.
enum SHA256 {
  /// The length of a hash in bytes.
  static let byteCount = 32

  private static let blockBytes = 64

  /// Returns the 32 bytes of the hash.
  ///
  /// - Complexity: O(bytes), the same for all contents of a length.
  static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state = initialState
    var schedule = [UInt32](repeating: 0, count: 64)
    let wholeBytes = bytes.count / blockBytes * blockBytes
    bytes.withUnsafeBufferPointer { bytes in
      for start in stride(from: 0, to: wholeBytes, by: blockBytes) {
        add(UnsafeBufferPointer(rebasing: bytes[start..<start + blockBytes]), &schedule, to: &state)
      }
    }
    let end = paddedEnd(bytes[wholeBytes...], byteCount: bytes.count)
    end.withUnsafeBufferPointer { end in
      for start in stride(from: 0, to: end.count, by: blockBytes) {
        add(UnsafeBufferPointer(rebasing: end[start..<start + blockBytes]), &schedule, to: &state)
      }
    }
    return state.flatMap { bigEndianBytes($0) }
  }

  /// Returns the authentication code of a message under a secret key.
  ///
  /// Source: RFC 2104, section 2.
  static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockBytes ? hash(key) : key
    block += [UInt8](repeating: 0, count: blockBytes - block.count)
    return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + bytes))
  }

  /// Returns the last one or two blocks: the rest of the message, a bit that ends it, and its
  /// length in bits.
  private static func paddedEnd(_ rest: ArraySlice<UInt8>, byteCount: Int) -> [UInt8] {
    let lengthBytes = 8
    var end = Array(rest) + [0x80]
    while (end.count + lengthBytes) % blockBytes != 0 { end.append(0) }
    let bits = UInt64(byteCount) * 8
    return end + bigEndianBytes(UInt32(truncatingIfNeeded: bits >> 32))
      + bigEndianBytes(UInt32(truncatingIfNeeded: bits))
  }

  /// Compresses a block into the state.
  private static func add(
    _ block: UnsafeBufferPointer<UInt8>, _ schedule: inout [UInt32], to state: inout [UInt32]
  ) {
    schedule.withUnsafeMutableBufferPointer { w in
      for t in 0..<16 {
        w[t] =
          UInt32(block[4 * t]) << 24 | UInt32(block[4 * t + 1]) << 16
          | UInt32(block[4 * t + 2]) << 8 | UInt32(block[4 * t + 3])
      }
      for t in 16..<64 {
        let (x, y) = (w[t - 15], w[t - 2])
        let small0 = rotated(x, 7) ^ rotated(x, 18) ^ x >> 3
        let small1 = rotated(y, 17) ^ rotated(y, 19) ^ y >> 10
        w[t] = w[t - 16] &+ small0 &+ w[t - 7] &+ small1
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for t in 0..<64 {
        let large1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let t1 = h &+ large1 &+ (e & f ^ ~e & g) &+ constants[t] &+ w[t]
        let large0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
        let t2 = large0 &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }

  private static func bigEndianBytes(_ word: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
  }

  private static let initialState: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
