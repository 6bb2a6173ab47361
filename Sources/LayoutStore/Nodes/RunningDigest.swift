/// A digest of 16 bytes of what comes piece by piece, the same in every process and for every
/// file.
///
/// It tells bytes that differ by accident. Its keys are no secret: who wants to can make other
/// bytes of the same digest.
package struct RunningDigest: Hashable, Sendable {
  /// Two hashes with keys that nothing else has.
  private static let hashes = (
    KeyedHash(key: Array(0x40..<0x50)), KeyedHash(key: Array(0x60..<0x70))
  )

  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// The digest of nothing.
  package init() {}

  /// Continues with the next piece. The digest depends on where pieces end.
  ///
  /// - Complexity: O(bytes).
  package mutating func append(_ piece: UnsafeRawBufferPointer) {
    // What has come so far tells equal pieces in different places apart.
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
