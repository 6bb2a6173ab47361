/// A rebalance that later batches continue with.
public struct OracleRebalance: Hashable, Sendable {
  /// The item with which it continues; nil after the last.
  public var nextKey: String?
  /// Whether to the section's end; otherwise until the columns' ends are even.
  public var goesToEnd: Bool

  public init(nextKey: String?, goesToEnd: Bool) {
    (self.nextKey, self.goesToEnd) = (nextKey, goesToEnd)
  }
}
