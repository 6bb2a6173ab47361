import CollectionLayout
import LayoutGeometry

/// The moving items, by their positions in the committed order.
struct MovedItems: Sendable {
  /// The keys in the committed order.
  let keys: [String]
  private let indexPaths: [IndexPath]
  private let keySet: Set<ExactKey>

  /// - Parameter items: The unique keys with their positions, in any order.
  init(_ items: [(key: String, indexPath: IndexPath)]) {
    let sorted = items.sorted { $0.indexPath < $1.indexPath }
    keys = sorted.map(\.key)
    indexPaths = sorted.map(\.indexPath)
    keySet = Set(keys.map { ExactKey($0) })
  }

  func contains(_ key: String) -> Bool { keySet.contains(ExactKey(key)) }

  func count(inSection section: Int) -> Int { indexPaths.count { $0.section == section } }

  /// Returns the number of other items before a position in its section.
  func rank(of path: IndexPath) -> Int {
    (path.item ?? 0) - indexPaths.count { $0.section == path.section && $0 < path }
  }

  /// Returns the index of another item among all items of a section.
  ///
  /// - Parameter rank: The number of other items before it in the section.
  func index(ofRank rank: Int, inSection section: Int) -> Int {
    var index = rank
    for path in indexPaths where path.section == section {
      if let item = path.item, item <= index { index += 1 }
    }
    return index
  }
}
