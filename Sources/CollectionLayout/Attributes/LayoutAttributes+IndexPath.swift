extension LayoutAttributes {
  /// The place of an item: its section, and its number in the section; both count
  /// from 0.
  ///
  /// It stands in here because Foundation has one of its own.
  public struct IndexPath: Hashable, Sendable, Codable, Comparable {
    /// The section's number in the layout.
    public var section: Int
    /// The item's number in its section; `nil` for the section itself.
    public var item: Int?

    /// Creates the place of an item, or of a section where there is none.
    @inlinable
    public init(section: Int, item: Int? = nil) {
      self.section = section
      self.item = item
    }

    /// Sections come before their items.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.section, lhs.item ?? -1) < (rhs.section, rhs.item ?? -1)
    }
  }
}

/// The place of an item, as the package spells it.
package typealias IndexPath = LayoutAttributes.IndexPath

extension LayoutAttributes.IndexPath: CustomStringConvertible {
  /// The section and the item as the command takes them, "3.12"; the section alone, "3".
  public var description: String {
    item.map { "\(section).\($0)" } ?? "\(section)"
  }
}
