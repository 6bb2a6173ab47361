public import LayoutGeometry

/// An item as passed to a custom section.
public struct LayoutItem: Hashable, Sendable {
  /// The natural size in canonical axes.
  public var size: Size
  /// The requested number of columns; 0 for all.
  public var columnSpan: Int
  /// The measured length along the main axis, if any.
  public var preferredLength: Length?
  /// The measured length across, if any.
  public var preferredCrossLength: Length?
  /// The members of the item's data, for a rule that reads ``ItemDependencies/data``, or a
  /// decorator that does; `nil` for an item without data, and for other rules. A number beyond the range of doubles is `null`;
  /// of duplicate members the last one is used.
  public var data: [String: ConfigurationValue]?

  /// Creates an item.
  public init(
    size: Size, columnSpan: Int = 1, preferredLength: Length? = nil,
    preferredCrossLength: Length? = nil,
    data: [String: ConfigurationValue]? = nil
  ) {
    self.size = size
    self.columnSpan = columnSpan
    self.preferredLength = preferredLength
    self.preferredCrossLength = preferredCrossLength
    self.data = data
  }
}
