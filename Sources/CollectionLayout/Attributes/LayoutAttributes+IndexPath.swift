extension LayoutAttributes {
  /// The place of an item: its section, and its number in the section; both count
  /// from 0.
  ///
  /// It is in here because Foundation has one of its own.
  public struct IndexPath: Hashable, Sendable, Comparable {
    /// The section's number in the layout.
    public var section: Int
    // A word, and no optional one, which would have a byte after it: attributes are copied
    // by the thousand, and those whose members all begin at words are copied twice as fast.
    @usableFromInline var itemOrNone: Int

    /// The item's number in its section; `nil` for the section itself.
    @inlinable
    public var item: Int? {
      get { OptionalNumber.value(itemOrNone) }
      set { itemOrNone = OptionalNumber.word(newValue) }
    }

    /// Creates the place of an item, or of a section where there is none.
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

  /// Decodes an object with `section`, and `item` where it is an item's place.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      section: try values.decode(Int.self, forKey: .section),
      item: try values.decodeIfPresent(Int.self, forKey: .item))
  }

  /// Encodes the place; `item` is left out where there is none.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(section, forKey: .section)
    try values.encodeIfPresent(item, forKey: .item)
  }
}

/// A number that may be missing, in one word: the least of all means none.
@usableFromInline
enum OptionalNumber {
  @inlinable
  static func word(_ number: Int?) -> Int { number ?? .min }

  @inlinable
  static func value(_ word: Int) -> Int? { word == .min ? nil : word }
}

/// The place of an item, as the package spells it.
package typealias IndexPath = LayoutAttributes.IndexPath

extension LayoutAttributes.IndexPath: CustomStringConvertible {
  /// The section and the item as the command takes them, "3.12"; the section alone, "3".
  public var description: String {
    item.map { "\(section).\($0)" } ?? "\(section)"
  }
}
