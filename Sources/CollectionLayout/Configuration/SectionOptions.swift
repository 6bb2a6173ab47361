public import LayoutGeometry

/// The members of a configuration's `section`, and of each entry of its `sections`; `nil`
/// members inherit the defaults.
///
/// Every entry may have any member, whatever its kind, because a default also serves overrides
/// of another kind. `LayoutPlan` reads those that the section's kind uses. `SectionMember.all`
/// lists the members for generic handling.
public struct SectionOptions: Hashable, Sendable {
  /// The length of a waterfall's or carousel's items along the main axis.
  @nonexhaustive
  public enum ItemLength: Hashable, Sendable {
    /// Proportional to its natural size, from the column's or the item's width.
    case aspect
    /// Its natural length.
    case natural
    /// The same length for all items.
    case fixed(Length)
  }

  /// The width of a carousel's items across the main axis.
  @nonexhaustive
  public enum ItemWidth: Hashable, Sendable {
    /// Its natural width.
    case natural
    /// Proportional to its natural size, from the item's length.
    case aspect
    /// The same width for all items.
    case fixed(Length)
    /// A fraction of the width between the insets less `peek`, rounded down: above 0 and at most
    /// 100.
    case fraction(Double, peek: Length = .zero)
    /// A fraction of the container's width less `minus`, as ``ContainerLength``.
    case containerFraction(Double, minus: Length)
  }

  /// The positions at which scrolling of a carousel rests, in addition to its two ends.
  ///
  /// Source: `UICollectionLayoutSectionOrthogonalScrollingBehavior` of UIKit, with groups of one
  /// item.
  @nonexhaustive
  public enum Scrolling: String, Hashable, Sendable, Codable, CaseIterable {
    /// Anywhere.
    case continuous
    /// Positions where an item's leading edge is at the leading inset.
    case continuousGroupLeadingBoundary
    /// Multiples of the container's width, one at a time.
    case paging
    /// As `continuousGroupLeadingBoundary`, one item at a time.
    case groupPaging
    /// Positions where an item's centre is at the container's centre, one item at a time.
    case groupPagingCentered
  }

  /// The columns of a waterfall or grid.
  @nonexhaustive
  public enum Columns: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// A number of columns of equal width.
    case equal(Int)
    /// A grid's columns, with widths in proportion to whole numbers from 1 to
    /// 1,000, such as `[2, 1, 1]`.
    case weighted([Int])

    /// Creates a literal number of columns of equal width.
    public init(integerLiteral count: Int) { self = .equal(count) }
  }

  /// The time when a waterfall's items are assigned to columns.
  @nonexhaustive
  public enum Assignment: String, Hashable, Sendable, Codable, CaseIterable {
    /// Once; an item keeps its column until it moves or its section is rebalanced.
    case stable
    /// After every change, as if all items were placed from scratch.
    case exact
  }

  /// The choice among equally short columns.
  @nonexhaustive
  public enum Ties: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first.
    case leading
    /// The last.
    case trailing
    /// The first at or after the column that follows that of the previous item.
    case cursor
  }

  /// The size of a flow's items.
  @nonexhaustive
  public enum ItemSize: Hashable, Sendable {
    /// Each item's natural size.
    case natural
    /// The same size for all items, in the content's axes.
    case fixed(Size)
    /// The same, relative to the container.
    case relative(width: ContainerLength, height: ContainerLength)
  }

  /// The alignment of a flow's lines across the container.
  @nonexhaustive
  public enum LineAlignment: String, Hashable, Sendable, Codable, CaseIterable {
    /// From edge to edge: the free space widens the gaps.
    case justified
    case leading, center, trailing
  }

  /// The alignment of a flow's items within the length of their line, or of a carousel's within
  /// that of the longest.
  @nonexhaustive
  public enum CrossAlignment: String, Hashable, Sendable, Codable, CaseIterable {
    case center, top, bottom
  }

  /// The length of a grid's rows.
  @nonexhaustive
  public enum RowLength: Hashable, Sendable {
    /// The nominal width of a column, or the average width of unequal ones, rounded down.
    case square
    case fixed(Length)
  }

  /// The layout of a justified section's last row if its items do not fill it.
  @nonexhaustive
  public enum LastRow: String, Hashable, Sendable, Codable, CaseIterable {
    /// The row keeps the target length, at the leading edge.
    case natural
    /// The row grows until it fills the line, or to the maximum length.
    case fill
    /// The row has the length of the row before it, at most the target length; without one, as
    /// ``natural``.
    case match
  }

  /// A decoration element below a section's content.
  public struct Background: Hashable, Sendable, Encodable {
    /// The element kind in queries: 1 to 255 bytes of UTF-8.
    public var kind: String
    /// The distance from the edges of the insets and the content, in points.
    public var inset: ContainerInsets
    /// The order among overlapping elements: higher ones lie on top.
    public var zIndex: Int

    /// Creates a background that covers the insets and the content, below the cells.
    public init(kind: String, inset: ContainerInsets = .zero, zIndex: Int = -1) {
      (self.kind, self.inset, self.zIndex) = (kind, inset, zIndex)
    }
  }

  /// The algorithm that places the items. Default: ``kindDefault``. Read in every section.
  public var kind: SectionKind?

  /// The columns, 1 to ``Limits/columnsMax``. Default: ``columnsDefault``. Read by waterfall and
  /// grid. Excludes ``minimumColumnWidth``; in an override either replaces the other.
  public var columns: Columns?
  /// Instead of ``columns``: the minimum width of a column in points. There are as many columns
  /// as fit, at least one. Default: `columns` applies. Read by waterfall and grid.
  public var minimumColumnWidth: Length?
  /// The gap between two columns, in points. Default: 0. Read by waterfall and grid.
  public var columnSpacing: ContainerLength?
  /// The gap between two items of a column, in points. Default: 0. Read by waterfall and grid.
  public var lineSpacing: ContainerLength?

  /// The length of items along the main axis. Default: `aspect`, in a carousel `natural`. Read
  /// by waterfall and carousel. In a carousel not both this and ``itemWidth`` are `aspect`.
  public var itemLength: ItemLength?
  /// The width of items across the main axis. Default: `natural`. Read by carousel.
  public var itemWidth: ItemWidth?
  /// The minimum length of an item, in points; at most ``maximumLength``. Default: one unit.
  /// Read by waterfall.
  public var minimumLength: Length?
  /// The maximum length of an item, in points. Default: none. Read by waterfall.
  public var maximumLength: Length?
  /// The excess over the shortest column up to which a column may be chosen, in points.
  /// Default: 0. Read by waterfall.
  public var tolerance: Length?
  /// The time when items are assigned to columns. Default: `stable`. Read by waterfall.
  public var assignment: Assignment?
  /// The difference between the columns of a `stable` waterfall, in points beyond its longest item,
  /// at which the section is rebalanced. Default: two container lengths. Read by waterfall.
  public var maximumSkew: Length?
  /// The choice among eligible columns. Default: `leading`. Read by waterfall.
  public var ties: Ties?

  /// The items' size in the content's axes. Default: `natural`; a circle has no default and
  /// requires a fixed size. Read by flow and circle. A fixed size excludes ``lineLength``; in
  /// an override either replaces the other.
  public var itemSize: ItemSize?
  /// Instead of ``itemSize``: the length in points to which natural sizes are scaled. Default:
  /// no scaling. Read by flow.
  public var lineLength: Length?
  /// The minimum gap between two items of a line, in points. Default: 0. Read by flow.
  public var minimumInteritemSpacing: ContainerLength?
  /// The gap between two lines, in points. Default: 0. Read by flow.
  public var minimumLineSpacing: ContainerLength?
  /// The alignment of lines across the container. Default: `justified`. Read by flow.
  public var lineAlignment: LineAlignment?
  /// The alignment of items within their line's length. Default: `center`. Read by flow and
  /// carousel.
  public var crossAlignment: CrossAlignment?

  /// The length of rows. Default: `square`. Read by grid.
  public var rowLength: RowLength?

  /// The length in points that rows approximate. Required, without a default. Read by justified.
  public var targetRowLength: ContainerLength?
  /// The maximum length, in points, to which a last row grows to fill its line. Default: 1.5
  /// times ``targetRowLength``. Read by justified.
  public var maximumRowLength: Length?
  /// The gap between two items and between two rows, in points. Default: 0. Read by
  /// justified and carousel.
  public var spacing: ContainerLength?
  /// The layout of a last row that its items do not fill. Default: `natural`. Read by justified.
  public var lastRow: LastRow?

  /// The positions at which scrolling of the section rests. Default: `continuous`. Read by
  /// carousel.
  public var scrolling: Scrolling?

  /// The options passed to a custom kind's initializer: ``SectionLayout/init(options:in:)``.
  /// Default: empty. Read by custom kinds.
  public var options: [String: ConfigurationValue]?

  /// The space around the items, in points and the content's axes, before mirroring.
  /// Default: 0. Read by every kind.
  public var inset: ContainerInsets?
  /// The header's length along the main axis, in points; 0 for none. Default: 0. Read
  /// by every kind.
  public var header: ContainerLength?
  /// The footer's length along the main axis, in points; 0 for none. Default: 0. Read
  /// by every kind.
  public var footer: ContainerLength?
  /// Whether the header stays visible while its section is. Default: `false`. Read by every kind.
  public var pinsHeader: Bool?
  /// Whether the footer stays visible while its section is. Default: `false`. Read by every kind.
  public var pinsFooter: Bool?
  /// Further elements before and after the items, at most 16: those of an edge from outside inward.
  /// Default: none. Read by every kind.
  public var supplementary: [Supplementary]?
  /// A decoration below the items. Default: none. Read by every kind.
  public var background: Background?
  /// Supplementary elements on cells, up to 16. Default: none. Read by every kind.
  public var badges: [Badge]?
  /// Decorations of the section, its runs of items, and between items, up to
  /// 16. Default: none. Read by every kind.
  public var decorations: [Decoration]?
  /// Registered rules for additional elements, up to 8. Default: none. Read by every kind.
  public var decorators: [Decorator]?
  /// How elements appear and disappear in transitions. Default: `fade`, in custom kinds as they
  /// choose. Read by every kind.
  public var appearance: Appearance?
  /// The effect of the visible rectangle on the section's cells. Default: that of the
  /// configuration. Read by every kind.
  public var effect: Effect?

  /// The kind of a section without `kind`.
  public static let kindDefault = SectionKind.waterfall
  /// The number of columns of a section without ``columns`` and ``minimumColumnWidth``.
  public static let columnsDefault = 2

  /// Creates options with all members at their defaults.
  public init() {}
}

extension SectionOptions: Codable {
  /// Decodes the members that are present.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown member, `DecodingError` for one of another
  ///   type.
  public init(from decoder: any Decoder) throws {
    try self.init(from: decoder, besides: nil)
  }

  /// Decodes the members that are present in an object with another member.
  init(from decoder: any Decoder, besides other: String?) throws {
    let values = try decoder.container(keyedBy: AnyKey.self)
    let names = values.allKeys.map(\.stringValue).filter { $0 != other }
    if let unknown = names.filter({ SectionMember.places[$0] == nil }).min() {
      throw ConfigurationError(
        .unknownKey(unknown, known: (other.map { [$0] } ?? []) + SectionMember.all.map(\.name)),
        at: decoder.codingPath.map(\.name))
    }
    self.init()
    // In the table's order, so that of several errors always the same one is thrown.
    for place in names.compactMap({ SectionMember.places[$0] }).sorted() {
      try SectionMember.all[place].decode(values, &self)
    }
  }

  /// Encodes the members that are not `nil`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: AnyKey.self)
    for member in SectionMember.all { try member.encode(self, &values) }
  }
}

extension SectionOptions {
  /// Returns the options with `nil` members taken from `defaults`, unless an excluding member
  /// is set.
  func filled(from defaults: SectionOptions) -> SectionOptions {
    let stated = SectionMember.all.filter { $0.isStated(self) }
    var filled = defaults
    for member in stated { member.displace(&filled) }
    for member in stated { member.copy(self, &filled) }
    return filled
  }
}
