import SumTree

/// How large nodes are. Not part of the format: a file may hold nodes of any size.
///
/// Leaves are sized so that a whole number of them fills SQLite's 4 KiB pages
/// well: 64 items with 12-byte keys take about 1.25 KiB.
enum TreeShapes {
  static let items = TreeShape(leafCapacity: 64, fanOut: 64)
  static let sections = TreeShape(leafCapacity: 64, fanOut: 64)
  static let keys = TreeShape(leafCapacity: 128, fanOut: 64)
  static let sectionResults = TreeShape(leafCapacity: 32, fanOut: 64)
  static let waterfall = TreeShape(leafCapacity: 64, fanOut: 64)
  static let lines = TreeShape(leafCapacity: 128, fanOut: 64)
  static let custom = TreeShape(leafCapacity: 64, fanOut: 64)
}
