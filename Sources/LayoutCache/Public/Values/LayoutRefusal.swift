import LayoutGeometry

/// Why a layout cannot be laid out.
public struct LayoutRefusal: Error, Sendable {
  /// The key of the item that has no place; `nil` where it is not one item's doing.
  public var key: String?
  /// A `LimitError`, or what the rule of a custom kind has thrown.
  public var reason: any Error

  /// Creates a refusal.
  public init(key: String? = nil, reason: any Error) {
    self.key = key
    self.reason = reason
  }

  /// Creates the refusal from an error that laying out has thrown.
  ///
  /// - Returns: `nil` for one that is not the layout's doing.
  init?(_ error: any Error) {
    switch error {
    case let refusal as LayoutRefusal: self = refusal
    case let limit as LimitError: self.init(reason: limit)
    default: return nil
    }
  }
}

extension LayoutRefusal: CustomStringConvertible {
  /// One sentence: "item 'a': width of an item of kind 'stack' is -1; the least is 0".
  public var description: String {
    let item = key.map { "item '\(excerpt($0))': " } ?? ""
    return "\(item)\(reason)"
  }
}
