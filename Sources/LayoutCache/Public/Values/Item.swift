public import LayoutGeometry

/// An item as it comes from outside, held to `Limits`.
public struct Item: Hashable, Sendable {
  /// Unique in the dataset.
  public let key: String
  /// The natural size, above zero in both directions.
  public let size: Size
  /// The columns that the item covers where a layout has columns; 0 means all.
  public let columnSpan: Int
  /// The item's data, for clients; layouts ignore it.
  public let data: ItemData?

  /// Checks an item.
  ///
  /// - Parameters:
  ///   - key: 1 to 255 bytes of UTF-8 without control characters.
  ///   - width: The natural width in points, rounded down to 1/64.
  ///   - height: The natural height in points, rounded down to 1/64.
  ///   - columnSpan: 0, for all columns, to 65,535; clamped to a layout's columns.
  ///   - data: What the item carries; `nil` for nothing.
  /// - Throws: `LimitError` naming what is out of bounds.
  public init(
    key: String, width: Double, height: Double, columnSpan: Int = 1, data: ItemData? = nil
  ) throws(LimitError) {
    try Limits.check(name: key, as: "key")
    try Limits.check(columnSpan, in: 0...Limits.columnSpanMax, as: "span")
    self.key = key
    size = try Limits.naturalSize(width: width, height: height)
    self.columnSpan = columnSpan
    self.data = data
  }

  /// An item that has been checked before.
  init(key: String, size: Size, columnSpan: Int, data: ItemData? = nil) {
    self.key = key
    self.size = size
    self.columnSpan = columnSpan
    self.data = data
  }
}
