public import LayoutGeometry

/// An item as a custom section sees it.
public struct LayoutItem: Hashable, Sendable {
  /// The natural size in canonical axes.
  public var size: Size
  /// The columns that it asks for; 0 for all.
  public var columnSpan: Int
  /// The length along the main axis that was measured for it, if any.
  public var preferredLength: Length?
  /// The length across that was measured next to it, if any.
  public var preferredCrossLength: Length?
  /// The members of what the item carries, for a rule that reads ``ItemReads/data``; `nil`
  /// for an item that carries nothing, and for rules that do not. A number too great for a
  /// double is `null`; of members of one name the last counts.
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
