public import LayoutGeometry

/// A kind of section that a user of the library brings along.
///
/// Items are placed one after the other. What placing one needs to know of those
/// before it is a small state of whole numbers, and the *anchor*, a position along
/// the main axis that the engine keeps: a rule never sees where it is in the content, so
/// its results can be shifted. That is what makes them last: after an edit the engine
/// places items again until the state is what it was, and moves the rest.
///
///     struct Stack: SectionLayout {
///       static let kind = "stack"
///       private let width: Length
///       init(options: [String: ConfigurationValue], in space: SectionSpace) {
///         width = space.line.upperBound - space.line.lowerBound
///       }
///       func place(
///         _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
///       ) -> ItemPlacement {
///         ItemPlacement(
///           frame: Rect(x: .zero, y: .zero, width: width, height: item.size.height),
///           advance: item.size.height)
///       }
///     }
///
/// Register it with `LayoutCache` when opening a database; a configuration then
/// names it as a section's `kind`, and hands it `options`.
///
/// Of what stands around an item a rule sees what it declares, by ``reads`` and
/// ``lookahead``: that decides what an edit places again. A kind with elements of its
/// own besides its cells conforms to ``DecoratedSectionLayout``. A masonry whose items are to
/// keep their columns is no such kind, but a ``WaterfallSectionLayout``.
///
/// A rule can be tried without a database, by ``layOut(_:)``.
///
/// Law: `place`, `reads`, `lookahead` and `contentLength` are functions of their arguments
/// and of `self`, and `init` of its arguments; the database keeps what they return, and
/// `verify` compares. After a change of either, or of what a stored state means, lay out
/// again whatever has the kind: by `invalidate` with `everything`.
public protocol SectionLayout: Sendable {
  /// The kind's name in configurations; not one of those built in.
  static var kind: String { get }

  /// What `place` sees of an item besides its size and the state; nothing by default.
  var reads: ItemReads { get }

  /// How many items after the one that it places `place` sees; at most
  /// `Limits.customLookaheadMax`, 0 by default. With 1 a rule knows the last item.
  ///
  /// A changed item places as many before it again.
  var lookahead: Int { get }

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
  ///   - context: Where it stands among the others, as far as the rule has declared that
  ///     it looks.
  ///   - state: What the placements before have left; empty at a section's start. At
  ///     most `Limits.customStateCountMax` numbers. The sooner it is again what it was,
  ///     the less an edit costs: a rule that counts items places all after an insertion
  ///     again, one that forgets at every heading none after the next.
  ///     It comes from the file: in a damaged one it may be any numbers, and as few.
  /// - Returns: Where the item stands from the anchor, and how far that moves on.
  /// - Throws: Any error, where the item can have no place. The layout cannot be laid out
  ///   then, which says so with the item's key; the dataset takes every change all the same.
  func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) throws -> ItemPlacement

  /// The length of the section's content; by default what the items come to.
  ///
  /// - Parameters:
  ///   - itemsEnd: The end of the item that reaches furthest, from the content's start; 0
  ///     without items.
  ///   - anchor: The anchor after the last item, which that one may move to say more; 0
  ///     without items.
  /// - Returns: The length; one that ends before the items counts as `itemsEnd`.
  func contentLength(itemsEnd: Length, anchor: Length) -> Length

  /// Where an element of the section comes from that a change has brought: a cell that was
  /// inserted, a header, footer or background that there was none of. Without an
  /// implementation it is where it will be, with alpha 0.
  ///
  /// Source: initialLayoutAttributesForAppearingItem(at:), and its likes, of
  /// UICollectionViewLayout.
  ///
  /// - Parameter element: As it will be shown. ``LayoutAttributes/untransformedFrame`` is in
  ///   canonical axes, from the content's start; a transform is in the content's.
  /// - Returns: The same element elsewhere, or with another look: what it is, and its index
  ///   path, are kept whatever is returned.
  func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes

  /// Where an element of the section goes that a change has taken away. Without an
  /// implementation it stays where it was, with alpha 0.
  ///
  /// Source: finalLayoutAttributesForDisappearingItem(at:), and its likes, of
  /// UICollectionViewLayout.
  ///
  /// - Parameter element: As it was shown; see ``initialAttributes(forAppearing:)``.
  func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes
}

extension SectionLayout {
  /// Nothing.
  public var reads: ItemReads { [] }

  /// None.
  public var lookahead: Int { 0 }

  /// `itemsEnd`.
  public func contentLength(itemsEnd: Length, anchor: Length) -> Length { itemsEnd }

  public func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes {
    element.faded
  }

  public func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes {
    element.faded
  }
}

/// The space that a custom section is laid out in, in canonical axes: across is x, along is y,
/// whichever axis scrolls.
public struct SectionSpace: Hashable, Sendable {
  /// The container: its width is the length across.
  public var container: Size
  /// The container's width less the section's insets.
  public var line: Range<Length>

  /// Creates a space, as for a test of a rule:
  /// `SectionSpace(container: Size(width: 390, height: 844), line: 8..<382)`.
  public init(container: Size, line: Range<Length>) {
    self.container = container
    self.line = line
  }
}
