/// One section of a feed, items in order.
public struct OracleSection: Hashable, Sendable {
  public var key: String
  public var items: [OracleItem]

  public init(key: String, items: [OracleItem]) {
    self.key = key
    self.items = items
  }
}
