/// One section of a feed, items in order, and what the layout keeps for it.
public struct OracleSection: Hashable, Sendable {
  public var key: String
  public var items: [OracleItem]
  /// Units along the main axis that were measured for its header and footer; they count
  /// where it has such.
  public var preferredHeader: Int64?
  public var preferredFooter: Int64?
  /// Units by which the columns of a stable waterfall differed when it was placed
  /// again last, if that was more than its limit; 0 otherwise.
  public var settledSkew: Int64 = 0
  /// The rebalance that later batches continue with.
  public internal(set) var rebalance: OracleRebalance?

  public init(key: String, items: [OracleItem]) {
    self.key = key
    self.items = items
  }
}
