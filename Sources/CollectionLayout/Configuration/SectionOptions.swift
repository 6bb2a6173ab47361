public import LayoutGeometry

/// The members of a configuration's `section`, and of each entry of its
/// `sections`; what is `nil` is taken from the defaults below it.
///
/// Any member may be in any entry, whatever its kind: a default serves the
/// overrides of another kind too. `LayoutPlan` reads those that its section's
/// kind has. What is done with all of them alike is in `SectionMember.all`.
public struct SectionOptions: Hashable, Sendable {
  /// How long a waterfall's item is along the main axis.
  @nonexhaustive
  public enum ItemLength: Hashable, Sendable {
    /// In proportion to its natural size.
    case aspect
    /// Its natural length.
    case natural
    /// The same for all.
    case fixed(Length)
  }

  /// When a waterfall's items choose their column.
  @nonexhaustive
  public enum Assignment: String, Hashable, Sendable, Codable, CaseIterable {
    /// Once; an item keeps it until it moves or its section is rebalanced.
    case stable
    /// After every change, as if all were placed from the first.
    case exact
  }

  /// Which of equally short columns an item takes.
  @nonexhaustive
  public enum Ties: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first.
    case leading
    /// The last.
    case trailing
    /// The first at or after the column that follows the item placed before.
    case cursor
  }

  /// The size of a flow's items.
  @nonexhaustive
  public enum ItemSize: Hashable, Sendable {
    /// Each item's natural size.
    case natural
    /// The same for all, in the content's axes.
    case fixed(Size)
  }

  /// Where a flow's lines stand across the container.
  @nonexhaustive
  public enum LineAlignment: String, Hashable, Sendable, Codable, CaseIterable {
    /// From edge to edge: what is left over widens the gaps.
    case justified
    case leading, center, trailing
  }

  /// Where a flow's items stand within the length of their line.
  @nonexhaustive
  public enum CrossAlignment: String, Hashable, Sendable, Codable, CaseIterable {
    case center, top, bottom
  }

  /// The length of a grid's rows.
  @nonexhaustive
  public enum RowLength: Hashable, Sendable {
    /// The nominal width of a column, rounded down.
    case square
    case fixed(Length)
  }

  /// How a justified section lays out a last row that its items do not fill.
  @nonexhaustive
  public enum LastRow: String, Hashable, Sendable, Codable, CaseIterable {
    /// It keeps the target length, at the leading edge.
    case natural
    /// It grows until it fills the line, or to the maximum length.
    case fill
  }

  /// A decoration element behind a section's content.
  public struct Background: Hashable, Sendable, Encodable {
    /// The kind that queries name the element by: 1 to 255 bytes of UTF-8.
    public var kind: String
    /// How far it stays within the insets and the content, in points.
    public var inset: EdgeInsets
    /// Its order among overlapping elements: higher ones lie on top.
    public var zIndex: Int

    /// Creates a background that covers the insets and the content, below the cells.
    public init(kind: String, inset: EdgeInsets = .zero, zIndex: Int = -1) {
      self.kind = kind
      self.inset = inset
      self.zIndex = zIndex
    }
  }

  /// How the items are placed. Default: ``kindDefault``. Read in every section.
  public var kind: SectionKind?

  /// How many columns there are, 1 to ``Limits/columnsMax``. Default:
  /// ``columnsDefault``. Read by waterfall and grid. Excludes ``minimumColumnWidth``;
  /// in an override either displaces the other.
  public var columns: Int?
  /// In place of ``columns``: as many columns as fit of at least this width in points,
  /// at least one. Default: `columns` counts. Read by waterfall and grid.
  public var minimumColumnWidth: Length?
  /// The gap between two columns, in points. Default: 0. Read by waterfall and grid.
  public var columnSpacing: Length?
  /// The gap between two items of a column, in points. Default: 0. Read by waterfall
  /// and grid.
  public var lineSpacing: Length?

  /// How long an item is along the main axis. Default: `aspect`. Read by waterfall.
  public var itemLength: ItemLength?
  /// The least length of an item, in points; at most ``maximumLength``. Default: one
  /// unit. Read by waterfall.
  public var minimumLength: Length?
  /// The greatest length of an item, in points. Default: none. Read by waterfall.
  public var maximumLength: Length?
  /// How much longer than the shortest a column may be and still be taken, in points.
  /// Default: 0. Read by waterfall.
  public var tolerance: Length?
  /// When items choose their column. Default: `stable`. Read by waterfall.
  public var assignment: Assignment?
  /// How far, in points, the columns of a `stable` waterfall may differ beyond its
  /// longest item before the section is rebalanced. Default: two container lengths.
  /// Read by waterfall.
  public var maximumSkew: Length?
  /// Which of the columns that an item may take it takes. Default: `leading`. Read by
  /// waterfall.
  public var ties: Ties?

  /// The items' size in the content's axes. Default: `natural`; a circle has none, and
  /// must be given a fixed one. Read by flow and circle. A fixed one excludes
  /// ``lineLength``; in an override either displaces the other.
  public var itemSize: ItemSize?
  /// In place of ``itemSize``: the length in points to which natural sizes are scaled.
  /// Default: they are not. Read by flow.
  public var lineLength: Length?
  /// The least gap between two items of a line, in points. Default: 0. Read by flow.
  public var minimumInteritemSpacing: Length?
  /// The gap between two lines, in points. Default: 0. Read by flow.
  public var minimumLineSpacing: Length?
  /// Where lines stand across the container. Default: `justified`. Read by flow.
  public var lineAlignment: LineAlignment?
  /// Where items stand within their line's length. Default: `center`. Read by flow.
  public var crossAlignment: CrossAlignment?

  /// The length of rows. Default: `square`. Read by grid.
  public var rowLength: RowLength?

  /// The length in points that rows come near to. No default: it must be given. Read
  /// by justified.
  public var targetRowLength: Length?
  /// How long, in points, a last row may become to fill its line. Default: 1.5 of
  /// ``targetRowLength``. Read by justified.
  public var maximumRowLength: Length?
  /// The gap between two items and between two rows, in points. Default: 0. Read by
  /// justified.
  public var spacing: Length?
  /// How a last row is laid out that its items do not fill. Default: `natural`. Read
  /// by justified.
  public var lastRow: LastRow?

  /// The options that a custom kind is created from: ``SectionLayout/init(options:in:)``.
  /// Default: empty. Read by those kinds.
  public var options: [String: ConfigurationValue]?

  /// The space around the items, in points and the content's axes, before mirroring.
  /// Default: 0. Read by every kind.
  public var inset: EdgeInsets?
  /// The header's length along the main axis, in points; 0 for none. Default: 0. Read
  /// by every kind.
  public var header: Length?
  /// The footer's length along the main axis, in points; 0 for none. Default: 0. Read
  /// by every kind.
  public var footer: Length?
  /// Whether the header stays in sight while its section is. Default: `false`. Read by
  /// every kind.
  public var pinsHeader: Bool?
  /// Whether the footer stays in sight while its section is. Default: `false`. Read by
  /// every kind.
  public var pinsFooter: Bool?
  /// A decoration behind the items. Default: none. Read by every kind.
  public var background: Background?

  /// The kind of a section that states none.
  public static let kindDefault = SectionKind.waterfall
  /// The columns of a section that says neither how many nor how wide.
  public static let columnsDefault = 2

  /// Creates options that leave everything to the defaults.
  public init() {}
}
