public import LayoutGeometry

/// A kind of section that a user of the library brings along.
///
/// Items are placed one after the other. What placing one needs to know of those
/// before it is a small state of whole numbers, and the *anchor*, a position along
/// the main axis that the engine keeps: a rule sees neither where it is in the
/// content nor how many items there are, so its results can be shifted. That is what
/// makes them last: after an edit the engine places items again until the state is
/// what it was, and moves the rest.
///
///     struct Stack: SectionLayout {
///       static let kind = "stack"
///       private let width: Length
///       init(options: [String: ConfigurationValue], in space: SectionSpace) {
///         width = space.line.upperBound - space.line.lowerBound
///       }
///       func place(_ item: LayoutItem, state: inout [Int64]) -> ItemPlacement {
///         ItemPlacement(
///           frame: Rect(x: .zero, y: .zero, width: width, height: item.size.height),
///           advance: item.size.height)
///       }
///     }
///
/// Register it with `LayoutCache` when opening a database; a configuration then
/// names it as a section's `kind`, and hands it `options`.
///
/// A rule can be tried without a database, by ``frames(of:)``.
///
/// Law: `place` is a function of its arguments and of `self`, and `init` of its
/// arguments; the database keeps what they return, and `verify` compares. After a
/// change of either, or of what a stored state means, lay out anew whatever has the
/// kind: by `invalidate` with `everything`.
public protocol SectionLayout: Sendable {
  /// The kind's name in configurations; not one of those built in.
  static var kind: String { get }

  /// Makes the layout of a section.
  ///
  /// - Parameters:
  ///   - options: The section's `options`; empty where there are none.
  ///   - space: What the section is laid out in.
  /// - Throws: Any error; the configuration is then refused with its description.
  init(options: [String: ConfigurationValue], in space: SectionSpace) throws

  /// Places an item.
  ///
  /// - Parameters:
  ///   - item: The item, in canonical axes.
  ///   - state: What the placements before have left; empty at a section's start. At
  ///     most `Limits.customStateCountMax` numbers. The sooner it is again what it was,
  ///     the less an edit costs: a rule that counts items places all behind an insertion
  ///     again, one that forgets at every heading none behind the next.
  ///     It comes from the file: in a damaged one it may be any numbers, and as few.
  /// - Returns: Where the item stands from the anchor, and how far that moves on.
  func place(_ item: LayoutItem, state: inout [Int64]) -> ItemPlacement
}

/// What a custom section is laid out in, in canonical axes: across is x, along is y,
/// whichever axis scrolls.
public struct SectionSpace: Hashable, Sendable {
  /// The container: its width is the length across.
  public var container: Size
  /// What the section's insets leave across the container.
  public var line: Range<Length>

  /// Creates a space, as for a test of a rule:
  /// `SectionSpace(container: Size(width: 390, height: 844), line: 8..<382)`.
  public init(container: Size, line: Range<Length>) {
    self.container = container
    self.line = line
  }
}

/// An item as a custom section sees it.
public struct LayoutItem: Hashable, Sendable {
  /// The natural size in canonical axes.
  public var size: Size
  /// The columns that it asks for; 0 for all.
  public var columnSpan: Int
  /// The length along the main axis that was measured for it, if any.
  public var preferredLength: Length?
  /// The length across that was measured beside it, if any.
  public var preferredCrossLength: Length?

  /// Creates an item.
  public init(
    size: Size, columnSpan: Int = 1, preferredLength: Length? = nil,
    preferredCrossLength: Length? = nil
  ) {
    self.size = size
    self.columnSpan = columnSpan
    self.preferredLength = preferredLength
    self.preferredCrossLength = preferredCrossLength
  }
}

/// Where a custom section puts an item.
public struct ItemPlacement: Hashable, Sendable {
  /// The rectangle in canonical axes: x from the container's leading edge, y from the
  /// anchor. It may be negative, but no item may start before its section's content:
  /// such a placement is refused. Sides are at most `Limits.sideMax`.
  public var frame: Rect
  /// How far the anchor moves on behind the item; from 0 to `Limits.customReachMax`.
  public var advance: Length

  /// Creates a placement.
  public init(frame: Rect, advance: Length) {
    self.frame = frame
    self.advance = advance
  }
}
