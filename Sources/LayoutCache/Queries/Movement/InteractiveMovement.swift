public import CollectionLayout
public import LayoutGeometry

/// Items that a finger moves: the order that would come of it, before anybody commits it.
///
///     var movement = try cache.read(phone) { try $0.beginMovement(of: ["a"]) }
///     let context = try movement.update(to: finger)
///     show(try movement.elements(in: visible), context)
///     try cache.update("news", with: movement.end())
///
/// All of it is in memory and a value: a movement that is let go of has left no trace. Each
/// update carries the moves out on the snapshot's trees as a commit would on the file's, so
/// that what is shown is to the unit what the commit comes to. Several items stay together, in
/// the order that they have in the dataset.
///
/// Who keeps a movement keeps the snapshot that it began with; see ``LayoutSnapshot``.
///
/// Source: `beginInteractiveMovementForItem(at:)` and its likes of UICollectionView, and the
/// calls that they make on its layout.
public struct InteractiveMovement: Sendable {
  /// Where the first of the moving items is to stand in the provisional order.
  public private(set) var targetIndexPath: LayoutAttributes.IndexPath
  /// Where the finger is, in the content.
  public private(set) var position: Point
  /// What reading and moving has cost.
  public private(set) var work = QueryWork.none
  /// The layout that the movement began with.
  let committed: LayoutSnapshot
  let items: MovedItems
  private var provisional: ProvisionalLayout

  /// The layout with the items in their provisional places, which answers all queries. Its
  /// revision is the one that the movement began with.
  public var snapshot: LayoutSnapshot { provisional.snapshot }

  /// What changes in what is shown from the committed order to the provisional one: for who
  /// keeps no movement, and shows the committed order each time before.
  public var context: InvalidationContext { provisional.context }

  /// The keys of the moving items, in their order.
  public var keys: [String] { items.keys }

  /// The provisional index paths of the moving items, in their order.
  public var indexPaths: [LayoutAttributes.IndexPath] {
    keys.indices.map {
      IndexPath(section: targetIndexPath.section, item: targetStart + $0)
    }
  }

  /// The target's number in its section.
  var targetStart: Int { targetIndexPath.item ?? 0 }

  fileprivate init(_ committed: LayoutSnapshot, _ items: MovedItems, heldBy held: IndexPath) throws
  {
    self.committed = committed
    self.items = items
    provisional = ProvisionalLayout(snapshot: committed)
    targetIndexPath = IndexPath(section: held.section, item: items.rank(of: held))
    position = .zero
    provisional = try moved(to: targetIndexPath)
  }

  /// Moves the items to where a finger is.
  ///
  /// - Parameters:
  ///   - point: Where it is, in the content.
  ///   - visible: The visible bounds, by which the element at the point is found; see
  ///     ``LayoutSnapshot/element(at:visible:)``.
  /// - Returns: What changes in what is shown: from the provisional order before to the one
  ///   now; empty where that is the same.
  /// - Throws: As ``move(to:)``.
  /// - Complexity: That of ``targetIndexPath(for:visible:)``; where that is another one,
  ///   that of ``move(to:)``.
  @discardableResult
  public mutating func update(
    to point: Point, visible: Rect? = nil
  ) throws -> InvalidationContext {
    position = point.bounded
    return try move(to: try target(for: position, visible: visible, work: &work))
  }

  /// Moves the items to a place, as where a delegate has the last word about it.
  ///
  /// - Parameter target: Where the first of them is to stand, counted without any of them;
  ///   held to the section's end.
  /// - Returns: As ``update(to:visible:)``.
  /// - Throws: ``LayoutCacheError``: `limit` where there is no such section, `cannotLayOut` where
  ///   the content would become too long; the items are then where they were.
  /// - Complexity: O(log items) nodes for each item that is moved, and what following that
  ///   takes.
  @discardableResult
  public mutating func move(
    to target: LayoutAttributes.IndexPath
  ) throws -> InvalidationContext {
    _ = try committed.query { _ in
      try Limits.check(target.section, in: 0...(committed.sectionCount - 1), as: "section")
    }
    var target = target
    target.item = max(0, min(target.item ?? 0, try otherCount(inSection: target.section)))
    if target == targetIndexPath { return InvalidationContext() }
    let next = try moved(to: target)
    let context = try Self.context(from: provisional, to: next)
    (provisional, targetIndexPath) = (next, target)
    return context
  }

  /// The batch that moves the items for good: empty where they are where they were.
  ///
  /// Nothing has been stored before it is committed. It names its place by a neighbour's key, so
  /// that it can be committed whatever else has been meanwhile, if that is still there.
  public func end() -> [BatchOperation] { provisional.operations }

  /// What changes in what is shown when the items go back to where they were. There is
  /// nothing else to be undone.
  public func cancel() throws -> InvalidationContext {
    try Self.context(from: provisional, to: ProvisionalLayout(snapshot: committed))
  }

  /// How many items of a section do not move.
  func otherCount(inSection section: Int) throws -> Int {
    let (count, _) = try committed.query {
      try committed.trees.items(ofSection: section, in: $0.session).count
    }
    return count - items.count(inSection: section)
  }

  /// The layout with the items at a place.
  private mutating func moved(to target: IndexPath) throws -> ProvisionalLayout {
    let destination: ItemDestination
    if let rank = target.item, rank > 0 {
      let index = items.index(ofRank: rank - 1, inSection: target.section)
      let keys = try committed.keys(ofItems: index..<(index + 1), inSection: target.section)
      guard let neighbour = keys.first else { throw MisplacedOperation() }
      destination = .after(neighbour)
    } else {
      let (section, _) = try committed.query {
        try committed.section(target.section, in: $0.session)
      }
      guard let section else { throw MisplacedOperation() }
      destination = .index(0, section: section.key)
    }
    var operations: [BatchOperation] = []
    for (index, key) in keys.enumerated() {
      operations.append(.move(key: key, to: index == 0 ? destination : .after(keys[index - 1])))
    }
    return try committed.provisional(operations, work: &work)
  }

  /// What lies between two layouts that come of the same committed one, section by section:
  /// what either has changed in it. Sections stay where they are.
  private static func context(
    from before: ProvisionalLayout, to after: ProvisionalLayout
  ) throws -> InvalidationContext {
    var context = before.context
    context.formCombination(with: after.context)
    context.work = after.context.work
    context.contentSizeAdjustment = after.snapshot.contentSize - before.snapshot.contentSize
    let (old, new) = (before.snapshot, after.snapshot)
    return try new.query { state in
      for section in context.sections.map(\.section) {
        let counts = try [old, new].map {
          try $0.trees.items(ofSection: section, in: state.session).count
        }
        // Neither knows of places that only the other one has.
        guard counts[0] < counts[1] else { continue }
        context.invalidate(
          SectionInvalidation(section: section, items: RangeSet(counts[0]..<counts[1])))
      }
      try context.setStarts {
        try new.plan.start(ofSection: $0, in: new.results, state.session)
      }
      return context
    }.result
  }
}

extension LayoutSnapshot {
  /// Begins to move items with a finger.
  ///
  /// - Parameter keys: The items' keys, first that of the item which the finger holds: the
  ///   others come to its side at once. One that is named twice counts once.
  /// - Throws: ``LayoutCacheError``: `noSuchKey`, `limit` without a key; else as
  ///   ``InteractiveMovement/move(to:)``.
  /// - Complexity: O(log items) nodes for each item.
  public func beginMovement(of keys: [String]) throws -> InteractiveMovement {
    _ = try query { _ in try Limits.check(keys.count, in: 1...Int.max, as: "number of keys") }
    var items: [(key: String, indexPath: IndexPath)] = []
    var known: Set<ExactKey> = []
    for key in keys where known.insert(ExactKey(key)).inserted {
      guard let path = try indexPath(ofKey: key) else {
        throw LayoutCacheError(.noSuchKey(key, dataset: layout.dataset))
      }
      items.append((key, path))
    }
    return try InteractiveMovement(self, MovedItems(items), heldBy: items[0].indexPath)
  }
}
