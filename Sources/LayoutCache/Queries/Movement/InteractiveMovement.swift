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
  /// The position of the first of the moving items in the provisional order.
  public var targetIndexPath: LayoutAttributes.IndexPath { current.indexPath }
  /// Where the finger is, in the content.
  public private(set) var position: Point
  /// The work of reading and moving.
  public private(set) var work = QueryWork.none
  private var current: ProvisionalTarget

  /// The layout with the items in their provisional places, which answers all queries. Its
  /// revision is the one that the movement began with.
  public var snapshot: LayoutSnapshot { current.snapshot }

  /// What changes in what is shown from the committed order to the provisional one: for who
  /// keeps no movement, and shows the committed order each time before.
  public var context: InvalidationContext { current.layout.context }

  /// The layout that the movement began with.
  var committed: LayoutSnapshot { current.committed }

  var items: MovedItems { current.items }

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

  fileprivate init(
    _ committed: LayoutSnapshot, _ items: MovedItems, at target: IndexPath
  ) throws {
    position = .zero
    current = try ProvisionalTarget(target, of: items, in: committed, work: &work)
  }

  /// Moves the items to the pointer.
  ///
  /// A new target is taken only where it holds: with the items there the point maps to it again.
  /// Otherwise they stay. So the target settles in one call: a second one with the same point
  /// changes nothing. A point outside every cell is nearest to the moving items' own frames as
  /// to any other's, so that they may stay there too.
  ///
  /// - Parameters:
  ///   - point: The pointer's position in the content.
  ///   - visible: The visible bounds, by which an effect acts. Pinned headers and footers are
  ///     looked through, except where they are in their own place.
  /// - Returns: What changes in what is shown: from the provisional order before to the one
  ///   now; empty where that is the same.
  /// - Throws: As ``move(to:)``.
  /// - Complexity: That of ``targetIndexPath(for:visible:)``, and, where that is another
  ///   target, of that and of ``move(to:)`` for each target tried, which are at most four.
  @discardableResult
  public mutating func update(
    to point: Point, visible: Rect? = nil
  ) throws -> InvalidationContext {
    let point = point.bounded
    let next = try current.settled(at: point, visible: visible, work: &work)
    let context = try replaceCurrent(with: next)
    position = point
    return context
  }

  /// Returns the target that a point maps to in the present provisional order: where the first
  /// of the moving items would be, counted without any of them.
  ///
  /// On a cell, or on an element that a custom kind has for it, it is that cell's position, which
  /// the cell leaves toward where the items come from; over the items' own frames it is their
  /// target. A header is its section's first position, a footer its last one, where either is in
  /// its own place: pinned elsewhere it is looked through. Anywhere else, on decorations and
  /// what a custom kind has for a section too, the nearest row of cells counts, in the section
  /// that contains the point, and in it the nearest cell: the target is before or after that, as
  /// the point is, or that of the items if the cell is one of theirs.
  ///
  /// ``update(to:visible:)`` takes it only where it holds.
  ///
  /// Source: `targetIndexPath(forInteractivelyMovingItem:withPosition:)` of
  /// UICollectionViewLayout, which knows only the first rule.
  ///
  /// - Parameters:
  ///   - point: The point in the content.
  ///   - visible: The visible bounds, by which an effect acts; without them none does.
  /// - Complexity: As ``LayoutSnapshot/element(at:visible:)``; where nothing is there, as a
  ///   query for a rectangle that reaches to the nearest cell.
  public func targetIndexPath(
    for point: Point, visible: Rect? = nil
  ) throws -> LayoutAttributes.IndexPath {
    var work = QueryWork.none
    return try current.target(for: point.bounded, visible: visible, work: &work)
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
    target.item = max(0, min(target.item ?? 0, try current.otherCount(inSection: target.section)))
    if target == targetIndexPath { return InvalidationContext() }
    return try replaceCurrent(with: try current.moved(to: target, work: &work))
  }

  private mutating func replaceCurrent(
    with next: ProvisionalTarget
  ) throws -> InvalidationContext {
    if next.indexPath == targetIndexPath { return InvalidationContext() }
    let context = try Self.context(from: current.layout, to: next.layout)
    current = next
    return context
  }

  /// The batch that moves the items for good: empty where they are where they were.
  ///
  /// Nothing has been stored before it is committed. It names its place by a neighbour's key, so
  /// that it can be committed whatever else has been in the meantime, if that is still there.
  public func end() -> [BatchOperation] { current.layout.operations }

  /// What changes in what is shown when the items go back to where they were. There is
  /// nothing else to be undone.
  public func cancel() throws -> InvalidationContext {
    try Self.context(from: current.layout, to: ProvisionalLayout(snapshot: committed))
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
  /// Begins to move items with a pointer.
  ///
  /// - Parameters:
  ///   - keys: The items' keys, first that of the item that is held: the others move next to it
  ///     immediately. A repeated key is ignored.
  ///   - target: The ``InteractiveMovement/targetIndexPath`` of a movement of the same items in
  ///     this snapshot, to resume it where none was kept; the held item's position where left out.
  /// - Throws: ``LayoutCacheError``: `noSuchKey`; `limit` without a key, and for a target that
  ///   the dataset does not have; else as ``InteractiveMovement/move(to:)``.
  /// - Complexity: O(log items) nodes for each item.
  public func beginMovement(
    of keys: [String], at target: LayoutAttributes.IndexPath? = nil
  ) throws -> InteractiveMovement {
    try Self.check(keys.count, in: 1...Int.max, as: "number of moving items")
    var items: [(key: String, indexPath: IndexPath)] = []
    var known: Set<ExactKey> = []
    for key in keys where known.insert(ExactKey(key)).inserted {
      guard let path = try indexPath(ofKey: key) else {
        throw LayoutCacheError(.noSuchKey(key, dataset: layout.dataset))
      }
      items.append((key, path))
    }
    let moved = MovedItems(items)
    let held = items[0].indexPath
    guard let target else {
      let start = IndexPath(section: held.section, item: moved.rank(of: held))
      return try InteractiveMovement(self, moved, at: start)
    }
    try Self.check(target.section, in: 0...(sectionCount - 1), as: "section of the target")
    let itemMax = try moved.otherCount(inSection: target.section, of: self)
    try Self.check(target.item ?? 0, in: 0...itemMax, as: "item of the target")
    return try InteractiveMovement(
      self, moved, at: IndexPath(section: target.section, item: target.item ?? 0))
  }

  private static func check(
    _ value: Int, in range: ClosedRange<Int>, as subject: LimitError.Subject
  ) throws {
    do {
      try Limits.check(value, in: range, as: subject)
    } catch {
      throw LayoutCacheError(.limit(error))
    }
  }
}
