import CollectionLayout
import LayoutGeometry
import SumTree

/// The items of one section as its layout sees them: their sizes in canonical axes,
/// and the lengths that were measured for them in that layout.
///
/// Keeps hold of the last leaf, as items are mostly asked for in order.
struct SectionItems {
  private let items: SumTree<ItemLeaf>
  /// The number of the section's first item, counted from the dataset's.
  private let firstItem: Int
  private let layout: Int64
  private let space: LayoutSpace
  private let reader: TreeReader
  private var leaf = ItemLeaf()
  /// The items of `leaf`, counted from the dataset's first.
  private var range = 0..<0

  /// - Parameter layout: The layout's id.
  init(
    _ items: SumTree<ItemLeaf>, from firstItem: Int, layout: Int64, space: LayoutSpace,
    reader: TreeReader
  ) {
    self.items = items
    self.firstItem = firstItem
    self.layout = layout
    self.space = space
    self.reader = reader
  }

  /// An item by its number in the section.
  mutating func item(at index: Int) throws -> LayoutItem {
    let number = firstItem + index
    if !range.contains(number) {
      // What the layout holds may be damaged; the items are not to blame.
      guard number >= 0, number < items.count else {
        throw DamagedLayout(detail: "it has more items than its dataset")
      }
      let found = try items.leaf(containing: number, reader: reader)
      leaf = found.leaf
      range = found.start..<(found.start + leaf.count)
    }
    return leaf.layoutItem(at: number - range.lowerBound, layout: layout, space: space)
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
