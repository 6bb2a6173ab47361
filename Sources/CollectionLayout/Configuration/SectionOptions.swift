public import LayoutGeometry

/// The members of a configuration's `section`, and of each entry of its
/// `sections`; what is `nil` is taken from the defaults below it.
///
/// Any member may stand in any entry, whatever its kind: a default serves the
/// overrides of another kind too. ``LayoutPlan`` reads those that its section's
/// kind has.
public struct SectionOptions: Hashable, Sendable, Encodable {
  /// The algorithm that places a section's items.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case waterfall
  }

  /// How long a waterfall's item is along the main axis.
  public enum ItemLength: Hashable, Sendable {
    /// In proportion to its natural size.
    case aspect
    /// Its natural length.
    case natural
    /// The same for all.
    case fixed(Length)
  }

  /// When a waterfall's items choose their column.
  public enum Assignment: String, Hashable, Sendable, Codable, CaseIterable {
    /// Once; an item keeps it until it moves or its section is rebalanced.
    case stable
    /// After every change, as if all were placed from the first.
    case exact
  }

  /// Which of equally short columns an item takes.
  public enum Ties: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first.
    case leading
    /// The first at or after the column that follows the item placed before.
    case cursor
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

  public var kind: Kind?
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
    filled.columnSpacing = columnSpacing ?? defaults.columnSpacing
    filled.lineSpacing = lineSpacing ?? defaults.lineSpacing
    filled.itemLength = itemLength ?? defaults.itemLength
    filled.minimumLength = minimumLength ?? defaults.minimumLength
    filled.maximumLength = maximumLength ?? defaults.maximumLength
    filled.tolerance = tolerance ?? defaults.tolerance
    filled.assignment = assignment ?? defaults.assignment
    filled.maximumSkew = maximumSkew ?? defaults.maximumSkew
    filled.ties = ties ?? defaults.ties
    filled.inset = inset ?? defaults.inset
    filled.header = header ?? defaults.header
    filled.footer = footer ?? defaults.footer
    filled.pinsHeader = pinsHeader ?? defaults.pinsHeader
    filled.pinsFooter = pinsFooter ?? defaults.pinsFooter
    filled.background = background ?? defaults.background
    return filled
  }
}
