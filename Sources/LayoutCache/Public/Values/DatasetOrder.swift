/// The order of a dataset's items by members of their data.
///
///     var order = DatasetOrder([.init(by: "taken_at", descending: true), .init(by: "name")])
///     order.sections = .init(by: "taken_at", part: .month, descending: true)
///     try cache.createDataset("album", order: order)
///
/// Values are ordered as numbers, instants, texts, and everything else, which includes missing
/// values; items with equal values are ordered by the bytes of their keys. Numbers are compared
/// exactly, instants (RFC 3339 with a zone, or a date, its midnight in UTC) by their time, and
/// texts by the bytes of their UTF-8. Missing values are last in descending order too.
///
/// An operation gives an item of a sorted dataset no place: inserted items are placed by the
/// order, and data that change an item's position move it.
public struct DatasetOrder: Hashable, Sendable {
  /// A member by which items are ordered.
  public struct Member: Hashable, Sendable {
    /// The name of a member of the items' data.
    public var by: String
    public var descending: Bool

    public init(by name: String, descending: Bool = false) {
      (by, self.descending) = (name, descending)
    }
  }

  /// The derivation of sections from a member. A section exists while it has items.
  public struct Sections: Hashable, Sendable {
    /// The part of the value that is the section's key.
    public enum Part: String, Hashable, Sendable, CaseIterable {
      /// The whole value: a number in its shortest form, or a text.
      case value
      /// Of an instant, as it is written: its year, such as `2024`.
      case year
      /// Such as `2024-05`.
      case month
      /// Such as `2024-05-17`.
      case day
    }

    /// The name of a member of the items' data.
    public var by: String
    public var part: Part
    /// Whether the sections, which are ordered like values, are in descending order.
    public var descending: Bool
    /// The style of new sections; `nil` for none.
    public var style: String?

    public init(
      by name: String, part: Part = .value, descending: Bool = false, style: String? = nil
    ) {
      (by, self.part, self.descending, self.style) = (name, part, descending, style)
    }
  }

  /// The section of items without a value for a section: the last one.
  public static let remainder = "none"
  /// The maximum number of ``members``.
  static let membersMax = 4

  /// The members by which the items of a section are ordered, the most significant first.
  public var members: [Member]
  /// `nil` if operations state the sections of items.
  public var sections: Sections?
  /// The keys of the items in their order, instead of members; `nil` for a dataset's order.
  private(set) var list: KeyList?

  public init(_ members: [Member], sections: Sections? = nil) {
    (self.members, self.sections) = (members, sections)
  }

  init(of list: KeyList) { (members, self.list) = ([], list) }
}
