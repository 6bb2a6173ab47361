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

  /// The number of places of an uneven section that are checked, at equal distances.
  static let checkedPlaces = 32
  /// The maximum number of those places that one instalment corrects.
  static let correctedPlacesMax = 4
  /// The maximum number of corrections before the section's end in one instalment.
  static let correctionsMax = 32

  package static let standard = RebalanceRules(instalment: 1024, batchMax: 32_768)

  package init(instalment: Int, batchMax: Int) {
    self.instalment = instalment
    self.batchMax = batchMax
  }
}
