import CollectionLayout
import LayoutGeometry
import SumTree

/// The items of one section as its layout sees them: their sizes in canonical axes,
/// and the lengths that were measured for them in that layout.
struct SectionItems {
  private var items: ItemReader
  /// The number of the section's first item, counted from the dataset's.
  private let firstItem: Int
  private let layout: Int64
  private let space: LayoutSpace

  /// - Parameter layout: The layout's id.
  init(
    _ items: SumTree<ItemLeaf>, from firstItem: Int, layout: Int64, space: LayoutSpace,
    reader: TreeReader
  ) {
    self.items = ItemReader(items, reader: reader)
    self.firstItem = firstItem
    self.layout = layout
    self.space = space
  }

  /// An item by its number in the section.
  mutating func item(at index: Int) throws -> LayoutItem {
    try items.layoutItem(at: firstItem + index, layout: layout, space: space)
  }
}

extension ItemLeaf {
  /// An item as a layout sees it.
  func layoutItem(at index: Int, layout: Int64, space: LayoutSpace) -> LayoutItem {
    LayoutItem(
      size: space.oriented(size(at: index)), columnSpan: columnSpan(at: index),
      preferredLength: preferredLengths.isEmpty
        ? nil : preferredLength(at: index, layout: layout))
  }
}
