import CollectionLayout
import LayoutGeometry

/// The moving items at one target, and the layout that results from it.
///
/// It is a function of the committed layout, the items and the target, so that a movement
/// resumed from its target continues like a retained one.
struct ProvisionalTarget: Sendable {
  /// The layout that the movement began with.
  let committed: LayoutSnapshot
  let items: MovedItems
  /// The position of the first moving item, not counting any moving items.
  let indexPath: IndexPath
  let layout: ProvisionalLayout

  /// The layout with the items at the target.
  var snapshot: LayoutSnapshot { layout.snapshot }

  /// - Parameter indexPath: An existing section, and an item index from 0 to the number of its
  ///   other items.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut` if the content would be too long.
  /// - Complexity: O(log items) nodes for each moving item, and the work of following the move.
  init(
    _ indexPath: IndexPath, of items: MovedItems, in committed: LayoutSnapshot,
    work: inout QueryWork
  ) throws {
    self.committed = committed
    self.items = items
    self.indexPath = indexPath
    let destination: ItemDestination
    if let rank = indexPath.item, rank > 0 {
      let index = items.index(ofRank: rank - 1, inSection: indexPath.section)
      let keys = try committed.keys(ofItems: index..<(index + 1), inSection: indexPath.section)
      guard let neighbour = keys.first else { throw MisplacedOperation() }
      destination = .after(neighbour)
    } else {
      let (section, _) = try committed.query {
        try committed.section(indexPath.section, in: $0.session)
      }
      guard let section else { throw MisplacedOperation() }
      destination = .index(0, section: section.key)
    }
    var operations: [BatchOperation] = []
    for (index, key) in items.keys.enumerated() {
      operations.append(
        .move(key: key, to: index == 0 ? destination : .after(items.keys[index - 1])))
    }
    layout = try committed.provisional(operations, work: &work)
  }

  /// Returns the same items at another target.
  ///
  /// - Throws: As the initializer.
  func moved(to indexPath: IndexPath, work: inout QueryWork) throws -> ProvisionalTarget {
    try ProvisionalTarget(indexPath, of: items, in: committed, work: &work)
  }

  /// Returns the number of items of a section that do not move.
  func otherCount(inSection section: Int) throws -> Int {
    try items.otherCount(inSection: section, of: committed)
  }
}

extension MovedItems {
  /// Returns the number of other items of a section.
  func otherCount(inSection section: Int, of committed: LayoutSnapshot) throws -> Int {
    let (count, _) = try committed.query {
      try committed.trees.items(ofSection: section, in: $0.session).count
    }
    return count - self.count(inSection: section)
  }
}
