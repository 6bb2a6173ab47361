/// The result that answers a query after the layout's configuration has changed.
@nonexhaustive
public enum Freshness: Hashable, Sendable {
  /// The result of the current configuration, which is laid out first if necessary. While
  /// another thread of this process does that, the last result is used.
  case current
  /// The last result, until the changed configuration has been laid out by
  /// ``LayoutCache/prepare(_:)`` or by a query for the current one.
  case last
}
