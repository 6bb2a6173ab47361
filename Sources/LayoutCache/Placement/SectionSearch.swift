import CollectionLayout
import LayoutGeometry
import SumTree

/// Finds placed items of one section, whatever its kind.
enum SectionSearch {
  case waterfall(WaterfallSearch)
  case lines(LineSearch)
  case computed(ComputedPlan, count: Int)
  case custom(CustomSearch)

  /// - Parameter items: The section's items.
  /// - Throws: ``DamagedLayout`` where the content is not of the plan's kind.
  init(
    _ content: SectionContent, plan: SectionPlan, items: SectionItems, reader: TreeReader
  ) throws {
    switch plan.kind {
    case .waterfall(let plan):
      guard let tree = content.waterfall else { throw Self.wrongKind }
      self = .waterfall(try WaterfallSearch(tree, plan: plan, reader: reader))
    case .lines(let plan):
      guard let tree = content.lines else { throw Self.wrongKind }
      self = .lines(LineSearch(tree, plan: plan, items: items, reader: reader))
    case .computed(let plan):
      guard case .computed(let count) = content else { throw Self.wrongKind }
      self = .computed(plan, count: count)
    case .custom:
      guard let tree = content.custom else { throw Self.wrongKind }
      self = .custom(CustomSearch(tree, reader: reader))
    }
  }

  private static var wrongKind: DamagedLayout {
    DamagedLayout(detail: "a section is not of the kind that its configuration says")
  }

  /// Calls `take` with the items that intersect a rectangle, by index, until it
  /// returns `false`.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in canonical space, from the content's start.
  ///   - firstItem: The least index that is wanted.
  func forEachItem(
    in rect: Rect, from firstItem: Int, _ take: (PlacedCell) throws -> Bool
  ) throws {
    switch self {
    case .waterfall(let search): try search.forEachItem(in: rect, from: firstItem, take)
    case .lines(let search): try search.forEachItem(in: rect, from: firstItem, take)
    case .custom(let search): try search.forEachItem(in: rect, from: firstItem, take)
    case .computed(let plan, let count):
      let items = plan.items(in: rect.minY..<rect.maxY, ofCount: count)
      for index in max(items.lowerBound, firstItem)..<max(items.upperBound, firstItem) {
        let cell = Self.cell(index, plan, count)
        if cell.frame.intersects(rect), try !take(cell) { return }
      }
    }
  }

  /// The item with an index, which the section has.
  func item(at index: Int) throws -> PlacedCell {
    switch self {
    case .waterfall(let search): try search.item(at: index)
    case .lines(let search): try search.item(at: index)
    case .custom(let search): try search.item(at: index)
    case .computed(let plan, let count): Self.cell(index, plan, count)
    }
  }

  private static func cell(_ index: Int, _ plan: ComputedPlan, _ count: Int) -> PlacedCell {
    PlacedCell(
      index: index, frame: plan.frame(at: index, ofCount: count), column: plan.column(of: index))
  }
}

extension LayoutSnapshot {
  /// Looks for items of a section.
  func search(_ section: PlacedSection, reader: TreeReader) throws -> SectionSearch {
    try SectionSearch(
      section.result.content, plan: section.plan,
      items: SectionItems(
        trees.items, from: section.firstItem, layout: layoutID, space: plan.space,
        reader: reader),
      reader: reader)
  }
}
