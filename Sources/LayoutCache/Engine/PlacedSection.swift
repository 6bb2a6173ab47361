import CollectionLayout
import LayoutGeometry
import SumTree

/// A laid out section with its place in the dataset and in the content.
struct PlacedSection: Sendable {
  let index: Int
  let key: String
  /// The number of the section's first item, counted from the dataset's.
  let firstItem: Int
  let itemCount: Int
  /// Where the section begins along the main axis.
  let start: Length
  let result: SectionResult
  /// Where its parts lie, from its start.
  let frame: SectionFrame

  var plan: SectionPlan { frame.plan }

  /// The section's items, counted from the dataset's first.
  var items: Range<Int> { firstItem..<(firstItem + itemCount) }

  /// Where the section ends along the main axis.
  var end: Length { start + result.length }

  /// Where the header or the footer stands, from the section's start; empty without one.
  ///
  /// - Parameter visible: The visible bounds along the main axis, to which it is pinned;
  ///   `nil` for its own place.
  func place(
    of kind: LayoutAttributes.SupplementaryKind, visible: Range<Length>?, crossLength: Length
  ) -> Rect {
    let (start, length) =
      kind == .header
      ? (
        visible.map { frame.headerStart(visibleStart: $0.lowerBound - self.start) } ?? .zero,
        plan.header
      )
      : (
        visible.map { frame.footerStart(visibleEnd: $0.upperBound - self.start) }
          ?? frame.footerStart, plan.footer
      )
    return Rect(x: .zero, y: start, width: crossLength, height: length)
  }
}

/// A section that queries look into: what takes longer to find out than a query for a
/// rectangle in it, and is the same for each of them.
final class SearchedSection: Sendable {
  let section: PlacedSection
  /// Where its items are.
  let placed: any PlacedItems
  /// Where the items' content begins along the main axis.
  let contentStart: Length
  /// The elements of its custom kind besides its cells, if any.
  let ownElements: OwnElements?
  /// Whether there is more of it than cells.
  let hasMoreThanCells: Bool

  /// - Throws: ``DamagedLayout`` where what is kept does not fit the section's plan.
  init(_ section: PlacedSection, _ shapes: TreeShapes) throws {
    let plan = section.plan
    self.section = section
    placed = try plan.kind.placing.placed(section.result.content, shapes)
    contentStart = section.start + section.frame.contentStart
    ownElements = plan.kind.ownElements
    hasMoreThanCells =
      plan.background != nil || plan.header > .zero || plan.footer > .zero || ownElements != nil
  }

  /// Whether this is the first of a layout's sections that ends after a position.
  func isFirst(endingAfter position: Length) -> Bool {
    (section.index == 0 || section.start <= position) && section.end > position
  }
}
