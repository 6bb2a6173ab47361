public import LayoutGeometry

/// A custom kind that has elements of its own besides its cells: lines for the hours behind
/// them, badges on them.
///
/// Nothing of them is kept: they are computed for each query that they concern, so a rule
/// may have any number of them. In an answer a section's own come after its background, and
/// those of its cells before its footer. Pins and effects leave them where they are.
///
/// Law: all are functions of their arguments and of `self`; no two elements of a section are
/// of one kind and have one number, and no two of a cell are of one kind.
public protocol DecoratedSectionLayout: SectionLayout {
  /// The kinds of elements that a section has. Neither header nor footer, and no kind of
  /// ``cellKinds``.
  var sectionKinds: Set<OwnElement.Kind> { get }

  /// The kinds of elements that its cells have; a cell has at most one of each.
  var cellKinds: Set<OwnElement.Kind> { get }

  /// How far elements reach at most beyond the section's content along the main axis, and
  /// those of a cell beyond its rectangle on any side; at most `Limits.sideMax`, 0 by
  /// default. Queries look so much further, in all sections of the layout.
  var overhang: Length { get }

  /// The section's elements that a rectangle may meet.
  ///
  /// - Parameters:
  ///   - rect: In canonical axes, y from the start of the section's content. All of the
  ///     content where an element is asked for by its index path.
  ///   - contentLength: The content's length along the main axis.
  /// - Returns: At least those whose rectangles intersect `rect`, always in the same order.
  func elements(in rect: Rect, contentLength: Length) -> [OwnElement]

  /// The elements of a cell.
  ///
  /// - Parameter cell: The item with its place. Its number is right whatever the rule reads.
  func elements(of cell: PlacedItem) -> [OwnElement]
}

extension DecoratedSectionLayout {
  /// None.
  public var overhang: Length { .zero }
}
