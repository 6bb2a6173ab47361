/// Which result of a layout a query answers from, after its configuration has changed.
@nonexhaustive
public enum Freshness: Hashable, Sendable {
  /// That of the present configuration: what has not been laid out is laid out first.
  /// While another thread of this process does that, the last result is answered from.
  case current
  /// The last result, until the changed configuration has been laid out by
  /// ``LayoutCache/prepare(_:)`` or by a query for the current one.
  case last
}
