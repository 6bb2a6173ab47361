/// How many items of stable waterfalls are placed again at once.
///
/// Part of the layout rules, unlike a budget: what a commit leaves is placed by later
/// ones, on the items as they are then, so other numbers lead to other columns. All who
/// follow a log must agree on them.
package struct RebalanceRules: Hashable, Sendable {
  /// The items of an instalment: what a commit places again besides its own operations.
  package var instalment: Int
  /// The items that the operations of a batch place again at their places in it; and
  /// those of the larger instalment of a batch that carries a layout's rebalances on.
  package var batchMax: Int

  package static let standard = RebalanceRules(instalment: 1024, batchMax: 32_768)

  package init(instalment: Int, batchMax: Int) {
    self.instalment = instalment
    self.batchMax = batchMax
  }
}
