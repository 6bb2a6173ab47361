/// The failure to place an item of a custom section.
public struct ItemRefusal: Error {
  /// The item's index in its section, from 0.
  public var index: Int
  /// A `LimitError`, or the error thrown by the section's rule.
  public var reason: any Error

  /// Creates a failure.
  package init(index: Int, reason: any Error) {
    self.index = index
    self.reason = reason
  }
}

extension ItemRefusal: CustomStringConvertible {
  /// The item and the reason: "item 3: width of an item of kind 'stack' is -1; the minimum is 0".
  public var description: String { "item \(index): \(reason)" }
}
