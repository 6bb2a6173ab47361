extension LayoutAttributes {
  /// The position of an item: its section, and its index in the section; both from 0.
  ///
  /// Nested, because Foundation has a type of that name.
  public struct IndexPath: Hashable, Sendable, Comparable {
    /// The section's index in the layout.
    public var section: Int
    // One word instead of an optional, which would append a byte: attributes are copied by the
    // thousand, and types whose members are all word-aligned are copied twice as fast.
    @usableFromInline var itemOrNone: Int

    /// The item's index in its section; `nil` for the section itself.
    @inlinable
    public var item: Int? {
      get { OptionalNumber.value(itemOrNone) }
      set { itemOrNone = OptionalNumber.word(newValue) }
    }

    /// Creates the position of an item, or, without one, of a section.
    @inlinable
    public init(section: Int, item: Int? = nil) {
      self.section = section
      itemOrNone = OptionalNumber.word(item)
    }

    /// Sections come before their items.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.section, lhs.item ?? -1) < (rhs.section, rhs.item ?? -1)
    }
  }
}

extension LayoutAttributes.IndexPath: Codable {
  private enum CodingKeys: String, CodingKey { case section, item }

  /// Decodes an object with `section`, and with `item` for an item's position.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      section: try values.decode(Int.self, forKey: .section),
      item: try values.decodeIfPresent(Int.self, forKey: .item))
  }

  /// Encodes the position, omitting `item` if it is `nil`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(section, forKey: .section)
    try values.encodeIfPresent(item, forKey: .item)
  }
}

/// An optional number in one word: `Int.min` means none.
@usableFromInline
enum OptionalNumber {
  @inlinable
  static func word(_ number: Int?) -> Int { number ?? .min }

  @inlinable
  static func value(_ word: Int) -> Int? { word == .min ? nil : word }
}

/// The position of an item, as used in the package.
package typealias IndexPath = LayoutAttributes.IndexPath

extension LayoutAttributes.IndexPath: CustomStringConvertible {
  /// The section and the item in the command's notation, "3.12"; for a section, "3".
  public var description: String {
    item.map { "\(section).\($0)" } ?? "\(section)"
  }
}
