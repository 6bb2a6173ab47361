/// The chains of a dataset's last entries, by sequence. A position with another chain belongs to
/// another history, such as a branch that the log has lost.
struct RecentChains {
  /// The number of entries known: a resident dataset takes about 1 KiB for them.
  static let countMax = 64

  private var known: [Int: UInt64] = [:]

  mutating func add(_ sequence: Int, _ chain: [UInt8]) {
    known[sequence] = PositionToken.prefix(of: chain)
    known[sequence - Self.countMax] = nil
    // After entries of another history.
    if known.count > 2 * Self.countMax {
      known = known.filter { sequence - $0.key < Self.countMax && $0.key <= sequence }
    }
  }

  /// Records that the dataset is loaded again.
  mutating func forget() { known = [:] }

  /// Returns whether a position is on the present branch; `nil` if that is not known.
  func contain(_ token: PositionToken) -> Bool? {
    known[token.sequence].map { $0 == token.chain }
  }
}
