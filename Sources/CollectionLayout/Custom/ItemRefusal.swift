/// Why an item of a custom section has no place.
public struct ItemRefusal: Error {
  /// The item's number in its section, from 0.
  public var index: Int
  /// A `LimitError`, or what the section's rule has thrown.
  public var reason: any Error

  /// Creates a refusal.
  package init(index: Int, reason: any Error) {
    self.index = index
    self.reason = reason
  }
}

extension ItemRefusal: CustomStringConvertible {
  /// The item and the reason: "item 3: width of an item of kind 'stack' is -1; the least
  /// is 0".
  public var description: String { "item \(index): \(reason)" }
}
