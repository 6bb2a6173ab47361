/// The maximum numbers of items of stable waterfalls that one commit places again.
///
/// They are part of the layout rules, not a budget: later commits place the remaining items,
/// based on the items at that time, so other numbers result in other columns. All nodes that
/// follow a log must use the same numbers.
package struct RebalanceRules: Hashable, Sendable {
  /// The number of items that each commit places again in addition to its operations.
  package var instalment: Int
  /// The number of items that the operations of a batch place again immediately; also the size of
  /// the large instalment of a batch that continues a layout's rebalances.
  package var batchMax: Int

  /// The maximum number of corrections before the section's end in one instalment.
  static let correctionsMax = 32
  /// The maximum number of corrections before an edited place in one commit, and of items that
  /// they place again.
  static let placeCorrectionsMax = 2
  static let placeItemsMax = 64

  package static let standard = RebalanceRules(instalment: 1024, batchMax: 32_768)

  package init(instalment: Int, batchMax: Int) {
    self.instalment = instalment
    self.batchMax = batchMax
  }

  /// Returns the skew above which the columns at an edited place are corrected.
  ///
  /// - Parameter limit: The skew above which they are corrected at the section's end.
  static func placeSkewMax(limit: Int64) -> Int64 { limit + limit / 4 }

  /// Returns the item before which a commit checks the columns, in addition to the place of its
  /// edits: edits from the back to the front add up at places after them, and only there.
  ///
  /// The distance is the rest of the section or a half, a quarter and so on of it. It depends on
  /// the index only, so that all processes check the same place.
  ///
  /// - Parameters:
  ///   - item: The item before which all edits are.
  ///   - count: The number of items.
  static func laterPlace(than item: Int, of count: Int) -> Int {
    // The finalizer of SplitMix64: neighbouring indices have unrelated distances.
    var mixed = UInt64(item)
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return item + (count - item) >> Int(mixed % 16)
  }
}
