public import LayoutGeometry

/// An input item, checked against `Limits`.
public struct Item: Hashable, Sendable {
  /// The item's key, unique in the dataset.
  public let key: String
  /// The natural size, above zero in both directions.
  public let size: Size
  /// The number of columns that the item spans in layouts with columns; 0 means all.
  public let columnSpan: Int
  /// The item's data, for clients; layouts ignore it.
  public let data: ItemData?
  /// Whether layouts show the item.
  public let visibility: ItemVisibility

  /// Creates an item after checking its values.
  ///
  /// - Parameters:
  ///   - key: 1 to 255 bytes of UTF-8 without control characters.
  ///   - width: The natural width in points, rounded down to 1/64.
  ///   - height: The natural height in points, rounded down to 1/64.
  ///   - columnSpan: 0, for all columns, to 65,535; clamped to a layout's columns.
  ///   - data: The item's data, if any.
  ///   - visibility: Whether layouts show the item.
  /// - Throws: `LimitError` for the value out of bounds.
  public init(
    key: String, width: Double, height: Double, columnSpan: Int = 1, data: ItemData? = nil,
    visibility: ItemVisibility = .shown
  ) throws(LimitError) {
    try Limits.check(name: key, as: "key")
    try Limits.check(columnSpan, in: 0...Limits.columnSpanMax, as: "span")
    self.key = key
    size = try Limits.naturalSize(width: width, height: height)
    self.columnSpan = columnSpan
    self.data = data
    self.visibility = visibility
  }

  /// Creates an item from values that were checked before.
  init(
    key: String, size: Size, columnSpan: Int, data: ItemData? = nil,
    visibility: ItemVisibility = .shown
  ) {
    self.key = key
    self.size = size
    self.columnSpan = columnSpan
    self.data = data
    self.visibility = visibility
  }
}
