/// How far the laying out of a layout is.
public struct LayoutProgress: Hashable, Sendable {
  /// The items that have been placed, or taken over from the result before.
  public internal(set) var placedItems: Int
  /// The items that there are.
  public internal(set) var itemCount: Int

  /// The part of the items that has been placed, from 0 to 1; 1 where there are none.
  public var fraction: Double {
    itemCount == 0 ? 1 : Double(placedItems) / Double(itemCount)
  }
}
