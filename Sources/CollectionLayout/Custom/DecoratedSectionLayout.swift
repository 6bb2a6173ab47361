public import LayoutGeometry

/// A custom kind with additional elements: lines for the hours below its cells, or badges on
/// them.
///
/// Elements are not stored but computed for each query that concerns them, so a rule may have
/// any number of them. In an answer, elements of a section follow its background, and those of
/// its cells precede its footer. Pinning and effects do not move them.
///
/// Law: all results are functions of the arguments and of `self`. No two elements of a section
/// have the same kind and number, and no two elements of a cell have the same kind.
public protocol DecoratedSectionLayout: SectionLayout {
  /// The kinds of elements of a section. Neither header nor footer, and disjoint from
  /// ``cellKinds``.
  var sectionKinds: Set<CustomElement.Kind> { get }

  /// The kinds of elements of cells; a cell has at most one of each.
  var cellKinds: Set<CustomElement.Kind> { get }

  /// The maximum extent of elements beyond the section's content along the main axis, and of a
  /// cell's elements beyond its rectangle on any side; at most `Limits.sideMax`, 0 by default.
  /// Queries search that much further, in all sections of the layout.
  var overhang: Length { get }

  /// Returns the section's elements that may intersect a rectangle.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in canonical axes, y from the start of the section's content. The
  ///     whole content if an element is queried by its index path.
  ///   - contentLength: The content's length along the main axis.
  /// - Returns: At least the elements whose rectangles intersect `rect`, always in the same
  ///   order.
  func elements(in rect: Rect, contentLength: Length) -> [CustomElement]

  /// Returns the elements of a cell.
  ///
  /// - Parameter cell: The placed item. Its index is valid even if the rule does not read
  ///   indices.
  func elements(of cell: PlacedItem) -> [CustomElement]
}

extension DecoratedSectionLayout {
  /// The default: 0.
  public var overhang: Length { .zero }
}
