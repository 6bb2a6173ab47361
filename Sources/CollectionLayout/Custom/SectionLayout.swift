public import LayoutGeometry

/// A kind of section provided by a user of the library.
///
/// Items are placed one after another. The input from earlier items is a small state of integers,
/// and the *anchor*, a position along the main axis that the engine maintains. A rule never sees
/// its position in the content, so its results can be shifted. That makes them reusable: after an
/// edit the engine places items again until the state equals the earlier one, and shifts the rest.
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
/// Register it with `LayoutCache` when opening a database. A configuration then names it as a
/// section's `kind`, and passes it `options`.
///
/// A rule declares the inputs that it reads from surrounding items, by ``reads`` and
/// ``lookahead``, because they determine which items an edit places again. A kind with
/// additional elements conforms to ``SectionDecorator``, too. A masonry whose items keep their
/// columns is not a ``SectionLayout`` but a ``WaterfallSectionLayout``.
///
/// A rule can be tested without a database, by ``layOut(_:)``.
///
/// Law: `place`, `reads`, `lookahead` and `contentLength` are functions of their arguments and
/// of `self`, and `init` of its arguments. The database stores their results, and `verify`
/// compares them. After a change of the rule, or of the meaning of a stored state, lay out all
/// sections of the kind again by `invalidate` with `everything`.
public protocol SectionLayout: Sendable {
  /// The kind's name in configurations; not that of a built-in kind.
  static var kind: String { get }

  /// The inputs that `place` reads, in addition to an item's size and the state; none by default.
  var reads: ItemDependencies { get }

  /// The number of following items that `place` reads; at most `Limits.customLookaheadMax`, 0
  /// by default. With 1 a rule recognizes the last item.
  ///
  /// An edit of an item also places that many preceding items again.
  var lookahead: Int { get }

  /// Creates the layout of a section.
  ///
  /// - Parameters:
  ///   - options: The section's `options`; empty by default.
  ///   - space: The space that the section is laid out in.
  /// - Throws: Any error; the configuration is then rejected with its description.
  init(options: [String: ConfigurationValue], in space: SectionSpace) throws

  /// Places an item.
  ///
  /// - Parameters:
  ///   - item: The item, in canonical axes.
  ///   - context: The item's position among the others, as far as the rule has declared that it
  ///     reads it.
  ///   - state: The state left by earlier placements; empty at a section's start. At most
  ///     `Limits.customStateCountMax` numbers. The sooner it equals its value before an edit,
  ///     the less the edit costs: a rule that counts items places all items after an insertion
  ///     again; one that resets at every heading places none after the next heading. It is read
  ///     from the file: if that is damaged, it may be any numbers, or fewer.
  /// - Returns: The item's position from the anchor, and the advance of the anchor.
  /// - Throws: Any error, if the item can't be placed. The layout then fails with an error that
  ///   has the item's key; the dataset accepts changes nevertheless.
  func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) throws -> ItemPlacement

  /// Returns the length of the section's content; by default the end of its items.
  ///
  /// - Parameters:
  ///   - itemsEnd: The greatest end of an item, from the content's start; 0 without items.
  ///   - anchor: The anchor after the last item, through which that item can convey more; 0
  ///     without items.
  /// - Returns: The length; at least `itemsEnd` is used.
  func contentLength(itemsEnd: Length, anchor: Length) -> Length

  /// Returns the initial attributes of an element of the section that a change has inserted: a
  /// cell, or a header, footer or background that did not exist. By default its final
  /// attributes with alpha 0.
  ///
  /// Source: initialLayoutAttributesForAppearingItem(at:), and its likes, of
  /// UICollectionViewLayout.
  ///
  /// - Parameter element: The element after the change. ``LayoutAttributes/untransformedFrame``
  ///   is in canonical axes, from the content's start; a transform is in the content's axes.
  /// - Returns: The same element with another position or appearance. Its category and index
  ///   path can't be changed.
  func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes

  /// Returns the final attributes of an element of the section that a change has deleted. By
  /// default its former attributes with alpha 0.
  ///
  /// Source: finalLayoutAttributesForDisappearingItem(at:), and its likes, of
  /// UICollectionViewLayout.
  ///
  /// - Parameter element: The element before the change; see ``initialAttributes(forAppearing:)``.
  func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes
}

extension SectionLayout {
  /// The default: no dependencies.
  public var reads: ItemDependencies { [] }

  /// The default: 0.
  public var lookahead: Int { 0 }

  /// The default: `itemsEnd`.
  public func contentLength(itemsEnd: Length, anchor: Length) -> Length { itemsEnd }

  public func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes {
    element.faded
  }

  public func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes {
    element.faded
  }
}

/// The space that a custom section is laid out in, in canonical axes: x is the cross axis and y
/// the main axis, whichever axis scrolls.
public struct SectionSpace: Hashable, Sendable {
  /// The container; its width is the length across.
  public var container: Size
  /// The range across the container between the section's insets.
  public var line: Range<Length>

  /// Creates a space, for example to test a rule:
  /// `SectionSpace(container: Size(width: 390, height: 844), line: 8..<382)`.
  public init(container: Size, line: Range<Length>) {
    self.container = container
    self.line = line
  }
}
