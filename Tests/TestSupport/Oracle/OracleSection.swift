/// One section of a feed, items in order, and the layout's stored values for it.
public struct OracleSection: Hashable, Sendable {
  public var key: String
  /// The name of its style; `nil` for none.
  public var style: String?
  public var items: [OracleItem]
  /// Measured units along the main axis of its header and footer; ignored if it has none.
  public var preferredHeader: Int64?
  public var preferredFooter: Int64?
  /// The difference in units between the columns of a stable waterfall after its last
  /// rebalance, if above its limit; 0 otherwise.
  public var settledSkew: Int64 = 0
  /// The rebalance that later batches continue with.
  public internal(set) var rebalance: OracleRebalance?

  /// The items that are not collapsed: those that have a place and, in stable waterfalls, a column.
  public var placed: [OracleItem] {
    get { items.filter { $0.visibility != .collapsed } }
    set {
      var rest = newValue[...]
      for index in items.indices where items[index].visibility != .collapsed {
        items[index] = rest.removeFirst()
      }
    }
  }

  public init(key: String, style: String? = nil, items: [OracleItem]) {
    (self.key, self.style, self.items) = (key, style, items)
  }
}
