/// The progress of laying out a layout.
public struct LayoutProgress: Hashable, Sendable {
  /// The number of items that have been placed, or reused from the previous result.
  public internal(set) var placedItems: Int
  /// The total number of items.
  public internal(set) var itemCount: Int

  /// The fraction of placed items, from 0 to 1; 1 without items.
  public var fraction: Double { itemCount == 0 ? 1 : Double(placedItems) / Double(itemCount) }
}
