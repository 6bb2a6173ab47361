public import LayoutGeometry

/// The members of a configuration's `section`, and of each entry of its
/// `sections`; what is `nil` is taken from the defaults below it.
///
/// Any member may stand in any entry, whatever its kind: a default serves the
/// overrides of another kind too. ``LayoutPlan`` reads those that its section's
/// kind has.
public struct SectionOptions: Hashable, Sendable, Encodable {
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
    /// The nominal width of a column.
    case square
    case fixed(Length)
  }

  /// What becomes of a justified section's last row where its items do not fill it.
  @nonexhaustive
  public enum LastRow: String, Hashable, Sendable, Codable, CaseIterable {
    /// It keeps the target length, at the leading edge.
    case natural
    /// It grows until it fills the line, or to the maximum length.
    case fill
  }

  /// A decoration element behind a section's content.
  public struct Background: Hashable, Sendable, Encodable {
    public var kind: String
    public var inset: EdgeInsets
    public var zIndex: Int

    public init(kind: String, inset: EdgeInsets = .zero, zIndex: Int = -1) {
      self.kind = kind
      self.inset = inset
      self.zIndex = zIndex
    }
  }

  public var kind: SectionKind?
  public var columns: Int?
  public var minimumColumnWidth: Length?
  public var columnSpacing: Length?
  public var lineSpacing: Length?
  public var itemLength: ItemLength?
  public var minimumLength: Length?
  public var maximumLength: Length?
  public var tolerance: Length?
  public var assignment: Assignment?
  public var maximumSkew: Length?
  public var ties: Ties?
  public var itemSize: ItemSize?
  public var lineLength: Length?
  public var minimumInteritemSpacing: Length?
  public var minimumLineSpacing: Length?
  public var lineAlignment: LineAlignment?
  public var crossAlignment: CrossAlignment?
  public var rowLength: RowLength?
  public var targetRowLength: Length?
  public var maximumRowLength: Length?
  public var spacing: Length?
  public var lastRow: LastRow?
  /// What a custom kind is given.
  public var options: [String: ConfigurationValue]?
  public var inset: EdgeInsets?
  public var header: Length?
  public var footer: Length?
  public var pinsHeader: Bool?
  public var pinsFooter: Bool?
  public var background: Background?

  /// The columns of a section that says neither how many nor how wide.
  public static let columnsDefault = 2

  /// Creates options that leave everything to the defaults.
  public init() {}

  /// The options with what is `nil` taken from `defaults`.
  func filled(from defaults: SectionOptions) -> SectionOptions {
    var filled = self
    filled.kind = kind ?? defaults.kind
    // The two ways to say how many columns there are replace each other.
    if columns == nil && minimumColumnWidth == nil {
      filled.columns = defaults.columns
      filled.minimumColumnWidth = defaults.minimumColumnWidth
    }
    // So do the two ways to say how large a flow's items are.
    if itemSize == nil && lineLength == nil {
      filled.itemSize = defaults.itemSize
      filled.lineLength = defaults.lineLength
    }
    filled.columnSpacing = columnSpacing ?? defaults.columnSpacing
    filled.lineSpacing = lineSpacing ?? defaults.lineSpacing
    filled.itemLength = itemLength ?? defaults.itemLength
    filled.minimumLength = minimumLength ?? defaults.minimumLength
    filled.maximumLength = maximumLength ?? defaults.maximumLength
    filled.tolerance = tolerance ?? defaults.tolerance
    filled.assignment = assignment ?? defaults.assignment
    filled.maximumSkew = maximumSkew ?? defaults.maximumSkew
    filled.ties = ties ?? defaults.ties
    filled.minimumInteritemSpacing = minimumInteritemSpacing ?? defaults.minimumInteritemSpacing
    filled.minimumLineSpacing = minimumLineSpacing ?? defaults.minimumLineSpacing
    filled.lineAlignment = lineAlignment ?? defaults.lineAlignment
    filled.crossAlignment = crossAlignment ?? defaults.crossAlignment
    filled.rowLength = rowLength ?? defaults.rowLength
    filled.targetRowLength = targetRowLength ?? defaults.targetRowLength
    filled.maximumRowLength = maximumRowLength ?? defaults.maximumRowLength
    filled.spacing = spacing ?? defaults.spacing
    filled.lastRow = lastRow ?? defaults.lastRow
    filled.options = options ?? defaults.options
    filled.inset = inset ?? defaults.inset
    filled.header = header ?? defaults.header
    filled.footer = footer ?? defaults.footer
    filled.pinsHeader = pinsHeader ?? defaults.pinsHeader
    filled.pinsFooter = pinsFooter ?? defaults.pinsFooter
    filled.background = background ?? defaults.background
    return filled
  }
}
