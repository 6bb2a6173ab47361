import CollectionLayout
import LayoutGeometry
import SumTree

/// A laid out section with its position in the dataset and in the content.
struct PlacedSection: Sendable {
  let index: Int
  let key: String
  /// The number of the section's first item, counted from the dataset's first.
  let firstItem: Int
  let itemCount: Int
  /// The start of the section along the main axis.
  let start: Length
  let result: SectionResult
  /// The frame of the section's parts, relative to its start.
  let frame: SectionFrame

  var plan: SectionPlan { frame.plan }

  /// The section's items, counted from the dataset's first.
  var items: Range<Int> { firstItem..<(firstItem + itemCount) }

  /// Returns the rectangle of the background; `nil` without one.
  func background(crossLength: Length) -> Rect? {
    var place = frame.background(crossLength: crossLength)
    place?.origin.y += start
    return place
  }

  /// The end of the section along the main axis.
  var end: Length { start + result.length }
}

/// A section prepared for queries: it holds values that take longer to compute than a query for a
/// rectangle, and are the same for each query.
final class SearchedSection: Sendable {
  let section: PlacedSection
  /// The positions of the section's items; those of a carousel at its scroll position.
  let placed: any PlacedItems
  /// The stored positions of the section's items, by place: those of a carousel at offset 0.
  let stored: any PlacedItems
  /// Whether cells may be hidden.
  let hidesCells: Bool
  /// The ``stored`` items by index.
  let storedByIndex: any PlacedItems
  /// The range and position of a section that scrolls independently.
  let carousel: CarouselExtent?
  /// The start of the items' content along the main axis.
  let contentStart: Length
  /// Whether cells may have ``CellExtras``.
  let mayHaveExtras: Bool
  /// The distance by which the transforms of cells extend their frames at most.
  let reach: Length
  /// Whether the section has elements other than cells.
  let hasMoreThanCells: Bool

  /// - Throws: ``Damage`` if the stored content does not fit the section's plan.
  init(_ section: PlacedSection, in snapshot: LayoutSnapshot) throws {
    let plan = section.plan
    self.section = section
    carousel = try snapshot.carousel(of: section)
    let stored = try plan.kind.placing.placed(section.result.content, snapshot.shapes)
    self.stored = stored
    let hidesItems = snapshot.trees.items.summary.isPartlyHidden
    let byIndex: any PlacedItems =
      hidesItems
      ? NumberedItems(items: stored, contentLength: section.frame.contentLength) : stored
    storedByIndex = byIndex
    placed =
      carousel.map {
        ScrolledItems(
          items: byIndex, offset: $0.offset, containerWidth: snapshot.plan.space.crossLength)
      } ?? byIndex
    if case .custom = plan.kind { mayHaveExtras = true } else { mayHaveExtras = false }
    hidesCells = mayHaveExtras || hidesItems
    reach = mayHaveExtras ? section.result.content.reach : .zero
    contentStart = section.start + section.frame.contentStart
    hasMoreThanCells =
      plan.background != nil || !plan.boundary.elements.isEmpty || plan.own != nil
  }

  /// Returns whether this is the first of a layout's sections that ends after a position.
  func isFirst(endingAfter position: Length) -> Bool {
    (section.index == 0 || section.start <= position) && section.end > position
  }
}
