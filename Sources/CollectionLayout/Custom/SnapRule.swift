public import LayoutGeometry

/// A rule for where scrolling comes to rest, provided by a user of the library.
///
///     struct EveryOther: SnapRule {
///       static let kind = "everyOther"
///       init(options: [String: ConfigurationValue]) {}
///       func target(
///         of scroll: ProposedScroll, elements: (Rect) throws -> [LayoutAttributes]
///       ) throws -> Point {
///         let visible = Rect(origin: scroll.offset, size: scroll.visibleSize)
///         let even = try elements(visible).first { ($0.indexPath.item ?? 1) % 2 == 0 }
///         return even?.frame.origin ?? scroll.offset
///       }
///     }
///
/// Register it when opening a database. A configuration then names it:
/// `"snap": {"kind": "everyOther"}`.
///
/// Source: targetContentOffset(forProposedContentOffset:withScrollingVelocity:) of
/// UICollectionViewLayout.
///
/// Law: `target` is a function of its arguments and of `self`, and `init` of its argument.
public protocol SnapRule: Sendable {
  /// The rule's name in configurations.
  static var kind: String { get }

  /// Creates a rule.
  ///
  /// - Parameter options: The `options` of the configuration's `snap`; empty by default.
  /// - Throws: Any error; the configuration is then rejected with its description.
  init(options: [String: ConfigurationValue]) throws

  /// Returns the content offset at which a scroll comes to rest.
  ///
  /// - Parameters:
  ///   - scroll: The scroll, in the content's axes.
  ///   - elements: Returns the elements of a rectangle of the content, without effects and
  ///     pinning.
  /// - Returns: The offset, which is clamped to the content along the scrolling axis. Across it,
  ///   the proposed offset remains.
  func target(
    of scroll: ProposedScroll, elements: (Rect) throws -> [LayoutAttributes]
  ) throws -> Point
}

/// The end of a scroll gesture, before a rule chooses where it comes to rest.
public struct ProposedScroll: Hashable, Sendable {
  /// The offset at which the scroll would end: the top left corner of the visible rectangle,
  /// within the content along the scrolling axis.
  public var offset: Point
  /// The offset at the start of the drag, if known.
  public var start: Point?
  /// The velocity, in any unit.
  public var velocity: ScrollVelocity
  /// The size of the visible rectangle.
  public var visibleSize: Size
  /// The size of the content.
  public var contentSize: Size
  /// The direction of the content's axes.
  public var layoutDirection: LayoutConfiguration.LayoutDirection

  /// Creates a scroll, for example to test a rule.
  public init(
    offset: Point, start: Point? = nil, velocity: ScrollVelocity = .zero, visibleSize: Size,
    contentSize: Size, layoutDirection: LayoutConfiguration.LayoutDirection = .leftToRight
  ) {
    (self.offset, self.start, self.velocity) = (offset, start, velocity)
    (self.visibleSize, self.contentSize) = (visibleSize, contentSize)
    self.layoutDirection = layoutDirection
  }
}

/// A scrolling velocity in both axes, in any unit; positive where x or y grows.
public struct ScrollVelocity: Hashable, Sendable {
  public var x: Double
  public var y: Double

  /// No movement.
  public static let zero = ScrollVelocity(x: 0, y: 0)

  /// Creates a velocity.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
