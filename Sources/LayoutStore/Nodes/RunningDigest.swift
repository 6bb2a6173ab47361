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
