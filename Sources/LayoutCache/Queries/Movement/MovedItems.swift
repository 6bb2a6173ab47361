import CollectionLayout
import LayoutGeometry

/// The items that a movement takes along, by their places in the committed order.
struct MovedItems: Sendable {
  /// In the committed order.
  let keys: [String]
  private let indexPaths: [IndexPath]
  private let keySet: Set<ExactKey>

  /// - Parameter items: Keys with their places, in any order, each once.
  init(_ items: [(key: String, indexPath: IndexPath)]) {
    let sorted = items.sorted { $0.indexPath < $1.indexPath }
    keys = sorted.map(\.key)
    indexPaths = sorted.map(\.indexPath)
    keySet = Set(keys.map { ExactKey($0) })
  }

  func contains(_ key: String) -> Bool { keySet.contains(ExactKey(key)) }

  /// How many there are in a section.
  func count(inSection section: Int) -> Int { indexPaths.count { $0.section == section } }

  /// How many other items are before a place in its section.
  func rank(of path: IndexPath) -> Int {
    (path.item ?? 0) - indexPaths.count { $0.section == path.section && $0 < path }
  }

  /// The index of another item among all of a section.
  ///
  /// - Parameter rank: How many others stand before it there.
  func index(ofRank rank: Int, inSection section: Int) -> Int {
    var index = rank
    for path in indexPaths where path.section == section {
      if let item = path.item, item <= index { index += 1 }
    }
    return index
  }
}
