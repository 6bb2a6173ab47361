import LayoutGeometry

/// The reason why a layout cannot be laid out.
public struct LayoutRefusal: Error, Sendable {
  /// The key of the item that cannot be placed; `nil` if no single item is the cause.
  public var key: String?
  /// A `LimitError`, or an error thrown by a custom section kind.
  public var reason: any Error

  /// Creates a refusal.
  public init(key: String? = nil, reason: any Error) {
    self.key = key
    self.reason = reason
  }

  /// Creates the refusal from an error thrown during layout.
  ///
  /// - Returns: `nil` for an error that the layout did not cause.
  init?(_ error: any Error) {
    switch error {
    case let refusal as LayoutRefusal: self = refusal
    case let limit as LimitError: self.init(reason: limit)
    default: return nil
    }
  }
}

extension LayoutRefusal: CustomStringConvertible {
  /// The item and the reason in one sentence: "item 'a': width of an item of kind 'stack' is
  /// -1; the minimum is 0".
  public var description: String {
    let item = key.map { "item '\(excerpt($0))': " } ?? ""
    return "\(item)\(reason)"
  }
}
