package import SumTree

/// How large the nodes of each kind of tree are. Not part of the format: a file may
/// hold nodes of any size.
package struct TreeShapes: Hashable, Sendable {
  package var items: TreeShape
  package var data: TreeShape
  package var sections: TreeShape
  package var keys: TreeShape
  package var sectionResults: TreeShape
  package var waterfall: TreeShape
  package var lines: TreeShape
  package var custom: TreeShape
  /// No shape, and part of the layout rules; it is here because whoever edits a layout's
  /// trees is given the shapes.
  package var rebalancing = RebalanceRules.standard

  /// The sizes that files have. Leaves are sized so that a whole number of them fills
  /// SQLite's 4 KiB pages well: 48 items with 12-byte keys, as an import puts into one,
  /// take about 0.85 KiB.
  package static let standard = TreeShapes(leafCapacity: 64, fanOut: 64, longLeafCapacity: 128)

  /// The least that trees take: a few dozen items make deep ones.
  package static let tiny = TreeShapes(leafCapacity: 4, fanOut: 4, longLeafCapacity: 4)

  /// - Parameter longLeafCapacity: That of leaves whose elements are small.
  private init(leafCapacity: Int, fanOut: Int, longLeafCapacity: Int) {
    let shape = TreeShape(leafCapacity: leafCapacity, fanOut: fanOut)
    let long = TreeShape(leafCapacity: longLeafCapacity, fanOut: fanOut)
    items = shape
    // An item's data take 100 to 300 bytes where they are a title and an address, and 4 KiB
    // at most: a leaf of a dozen fits a page mostly, and is never long.
    data = TreeShape(leafCapacity: max(leafCapacity / 4, 4), fanOut: fanOut)
    sections = shape
    keys = long
    // Each entry holds the root of a tree.
    sectionResults = TreeShape(leafCapacity: (leafCapacity + 1) / 2, fanOut: fanOut)
    waterfall = shape
    lines = long
    custom = shape
  }
}
