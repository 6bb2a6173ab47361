package import SumTree

/// The node sizes of each kind of tree. They are not part of the format: a file may contain nodes
/// of any size.
package struct TreeShapes: Hashable, Sendable {
  package var items: TreeShape
  package var data: TreeShape
  package var sections: TreeShape
  package var keys: TreeShape
  package var sectionResults: TreeShape
  package var waterfall: TreeShape
  package var lines: TreeShape
  package var custom: TreeShape
  package var carousel: TreeShape
  /// Not a shape but part of the layout rules. It is here because all code that edits a layout's
  /// trees receives the shapes.
  package var rebalancing = RebalanceRules.standard
  /// The maximum number of items that a commit places in a layout, while other writers wait.
  package var committedMax = 32_768

  /// The sizes used for files. Leaves are sized to fill SQLite's 4 KiB pages well: 48 items with
  /// 12-byte keys, the number that an import stores per leaf, take about 0.85 KiB.
  package static let standard = TreeShapes(leafCapacity: 64, fanOut: 64, longLeafCapacity: 128)

  /// The minimum sizes: a few dozen items result in deep trees.
  package static let tiny = TreeShapes(leafCapacity: 4, fanOut: 4, longLeafCapacity: 4)

  /// - Parameter longLeafCapacity: The capacity of leaves with small elements.
  private init(leafCapacity: Int, fanOut: Int, longLeafCapacity: Int) {
    let shape = TreeShape(leafCapacity: leafCapacity, fanOut: fanOut)
    let long = TreeShape(leafCapacity: longLeafCapacity, fanOut: fanOut)
    items = shape
    // An item's data take 100 to 300 bytes for a title and an address, and 4 KiB at most: a leaf
    // of a dozen usually fits a page, and is never long.
    data = TreeShape(leafCapacity: max(leafCapacity / 4, 4), fanOut: fanOut)
    sections = shape
    keys = long
    // Each entry holds the root of a tree.
    sectionResults = TreeShape(leafCapacity: (leafCapacity + 1) / 2, fanOut: fanOut)
    waterfall = shape
    lines = long
    custom = shape
    carousel = shape
  }
}
