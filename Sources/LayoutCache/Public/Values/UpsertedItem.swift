public import LayoutGeometry

/// An item to insert or update, as stated by a source of changes. Values that the source does
/// not state stay unchanged.
public struct UpsertedItem: Hashable, Sendable {
  /// A change of an item's data.
  @nonexhaustive
  public enum DataChange: Hashable, Sendable {
    /// No change; a new item has no data.
    case none
    /// Replaces the data.
    case set(ItemData)
    /// Removes the data.
    case remove
  }

  /// The item's key, unique in the dataset.
  public let key: String
  /// The natural size, above zero in both directions.
  public let size: Size
  /// As ``Item/columnSpan``; `nil` keeps the current span, and is 1 for a new item.
  public let columnSpan: Int?
  /// The change of the item's data.
  public let data: DataChange
  /// Whether layouts show the item; `nil` for no change, which for a new item is `shown`.
  public let visibility: ItemVisibility?

  /// Creates an item after checking its values.
  ///
  /// - Parameters:
  ///   - key: 1 to 255 bytes of UTF-8 without control characters.
  ///   - width: The natural width in points, rounded down to 1/64.
  ///   - height: The natural height in points, rounded down to 1/64.
  ///   - columnSpan: 0, for all columns, to 65,535; `nil` for no change.
  ///   - data: The change of the item's data.
  ///   - visibility: Whether layouts show the item; `nil` for no change.
  /// - Throws: `LimitError` for the value out of bounds.
  public init(
    key: String, width: Double, height: Double, columnSpan: Int? = nil, data: DataChange = .none,
    visibility: ItemVisibility? = nil
  ) throws(LimitError) {
    let item = try Item(key: key, width: width, height: height, columnSpan: columnSpan ?? 1)
    self.key = item.key
    size = item.size
    self.columnSpan = columnSpan
    self.data = data
    self.visibility = visibility
  }

  /// Creates an item with all values of another one.
  public init(_ item: Item) {
    key = item.key
    size = item.size
    columnSpan = item.columnSpan
    data = item.data.map { .set($0) } ?? .remove
    visibility = item.visibility
  }

  /// Creates an item from values that were checked before.
  init(
    key: String, size: Size, columnSpan: Int?, data: DataChange, visibility: ItemVisibility?
  ) {
    self.key = key
    self.size = size
    self.columnSpan = columnSpan
    self.data = data
    self.visibility = visibility
  }

  /// The item to insert if the dataset has none with the key.
  var new: Item {
    Item(
      key: key, size: size, columnSpan: columnSpan ?? 1, data: data.data,
      visibility: visibility ?? .shown)
  }
}

extension UpsertedItem.DataChange {
  /// The data that is set; `nil` for none.
  var data: ItemData? { if case .set(let data) = self { data } else { nil } }
}
