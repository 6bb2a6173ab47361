import LayoutGeometry

/// The reason why a layout, or a section of a custom kind, cannot be laid out.
public struct LayoutRefusal: Error {
  /// The index in its section, from 0, of the item that cannot be placed; `nil` if no single item
  /// is the cause.
  public var index: Int?
  /// The key of the item; `nil` also for items without a dataset.
  public var key: String?
  /// A `LimitError`, or an error thrown by a custom section kind.
  public var reason: any Error

  /// Creates a refusal.
  public init(index: Int? = nil, key: String? = nil, reason: any Error) {
    self.index = index
    self.key = key
    self.reason = reason
  }
}

extension LayoutRefusal: CustomStringConvertible {
  /// The item and the reason in one sentence: "item 'a': width of an item of kind 'stack' is
  /// -1; the minimum is 0".
  public var description: String {
    "\(key.map { "item '\(excerpt($0))': " } ?? index.map { "item \($0): " } ?? "")\(reason)"
  }
}
