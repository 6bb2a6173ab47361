public import LayoutGeometry

/// An item as a source of changes knows it: what it is to be from now on, whether the
/// dataset has it or not. What the source does not state stays as it is.
public struct UpsertedItem: Hashable, Sendable {
  /// A change of an item's data.
  @nonexhaustive
  public enum DataChange: Hashable, Sendable {
    /// It stays; a new item carries nothing.
    case none
    /// It becomes this.
    case set(ItemData)
    /// It is taken away.
    case remove
  }

  /// Unique in the dataset.
  public let key: String
  /// The natural size, above zero in both directions.
  public let size: Size
  /// As ``Item/columnSpan``; `nil` for that which the item has, and for 1 of a new one.
  public let columnSpan: Int?
  /// The change of the item's data.
  public let data: DataChange

  /// Checks an item.
  ///
  /// - Parameters:
  ///   - key: 1 to 255 bytes of UTF-8 without control characters.
  ///   - width: The natural width in points, rounded down to 1/64.
  ///   - height: The natural height in points, rounded down to 1/64.
  ///   - columnSpan: 0, for all columns, to 65,535; `nil` to leave it.
  ///   - data: What becomes of what the item carries.
  /// - Throws: `LimitError` naming what is out of bounds.
  public init(
    key: String, width: Double, height: Double, columnSpan: Int? = nil, data: DataChange = .none
  ) throws(LimitError) {
    let item = try Item(key: key, width: width, height: height, columnSpan: columnSpan ?? 1)
    self.key = item.key
    size = item.size
    self.columnSpan = columnSpan
    self.data = data
  }

  /// An item that is to be in every respect as another one is.
  public init(_ item: Item) {
    key = item.key
    size = item.size
    columnSpan = item.columnSpan
    data = item.data.map { .set($0) } ?? .remove
  }

  /// An item that has been checked before.
  init(key: String, size: Size, columnSpan: Int?, data: DataChange) {
    self.key = key
    self.size = size
    self.columnSpan = columnSpan
    self.data = data
  }

  /// The item to insert if the dataset has none of the key.
  var new: Item {
    Item(key: key, size: size, columnSpan: columnSpan ?? 1, data: data.data)
  }
}

extension UpsertedItem.DataChange {
  /// The data that is set; `nil` for none.
  var data: ItemData? {
    if case .set(let data) = self { data } else { nil }
  }
}
