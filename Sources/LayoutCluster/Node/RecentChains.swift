import LayoutCache

/// The chains of a dataset's last entries, and of entries that the log has lost, by sequence.
///
/// A position with another chain belongs to a lost branch of the history.
struct RecentChains {
  /// The number of entries known: a resident dataset takes about 1 KiB for them.
  static let countMax = 64

  private var known: [Int: UInt64] = [:]
  private var lost: [Int: UInt64] = [:]

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

  /// The lowest known sequence; `nil` if none is known.
  var first: Int? { known.keys.min() }

  /// Records that the log has lost known entries: those that it has with another chain, and those
  /// after its end.
  ///
  /// - Parameter entries: The log's entries from ``first`` on, as far as it has them.
  mutating func lose(allBut entries: [SharedEntry], end: Int) {
    var present: [Int: UInt64] = [:]
    for entry in entries { present[entry.sequence] = PositionToken.prefix(of: entry.chain) }
    lost = known.filter { sequence, chain in
      sequence > end || present[sequence].map { $0 != chain } ?? false
    }
    known = [:]
  }

  /// Returns whether a position is known to be on a lost branch.
  func isLost(_ sequence: Int, _ chain: UInt64) -> Bool {
    lost[sequence] == chain || known[sequence].map { $0 != chain } ?? false
  }
}
