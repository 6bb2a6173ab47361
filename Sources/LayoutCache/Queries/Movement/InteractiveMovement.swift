public import CollectionLayout
public import LayoutGeometry

/// A drag of items: the provisional order before it is committed.
///
///     var movement = try cache.read(phone) { try $0.beginMovement(of: ["a"]) }
///     let context = try movement.update(to: finger)
///     show(try movement.elements(in: visible), context)
///     try cache.update("news", with: movement.end())
///
/// A movement is a value in memory; discarding it has no effect. Each update applies the moves
/// to the snapshot's trees exactly as a commit would, so the provisional layout equals the
/// committed one bit for bit. Several items stay together, in their dataset order.
///
/// A movement retains its initial snapshot; see ``LayoutSnapshot``.
///
/// Source: `beginInteractiveMovementForItem(at:)` and related methods of UICollectionView, and
/// the calls that they make on its layout.
public struct InteractiveMovement: Sendable {
  /// The position of the first of the moving items in the provisional order.
  public var targetIndexPath: LayoutAttributes.IndexPath { current.indexPath }
  /// The pointer's position in the content; before the first ``update(to:visible:)`` the centre of
  /// the held item's cell.
  public private(set) var position: Point
  /// The accumulated work of reading and moving.
  public private(set) var work = QueryWork.none
  private var current: ProvisionalTarget

  /// The layout with the items in their provisional positions, which answers all queries. Its
  /// revision is that of the initial snapshot.
  public var snapshot: LayoutSnapshot { current.snapshot }

  /// The changes from the committed order to the provisional one, for a client that does not
  /// retain the movement and shows the committed order before each update.
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

  /// The target's index in its section.
  var targetStart: Int { targetIndexPath.item ?? 0 }

  fileprivate init(
    _ committed: LayoutSnapshot, _ items: MovedItems, holding held: String, at target: IndexPath
  ) throws {
    current = try ProvisionalTarget(target, of: items, in: committed, work: &work)
    guard let cell = try current.snapshot.attributes(forKey: held) else {
      throw Damage(detail: "a moving item is missing")
    }
    position = cell.center
  }

  /// Moves the items to the pointer.
  ///
  /// A new target is accepted only if it is stable: with the items there, the point maps to it
  /// again. Otherwise the items stay. The target therefore settles in one call: a second call
  /// with the same point changes nothing. For a point outside all cells the moving items'
  /// frames count like any other frame, so the items may stay there too.
  ///
  /// - Parameters:
  ///   - point: The pointer's position in the content.
  ///   - visible: The visible bounds, to which effects apply. Pinned headers and footers are
  ///     ignored, except at their laid out positions.
  /// - Returns: The changes from the previous provisional order to the new one; empty if they
  ///   are equal.
  /// - Throws: As ``move(to:)``.
  /// - Complexity: As ``targetIndexPath(for:visible:)``; for a different target also that and
  ///   ``move(to:)`` for each target tried, at most four.
  @discardableResult
  public mutating func update(
    to point: Point, visible: Rect? = nil
  ) throws -> InvalidationContext {
    let point = point.bounded
    return try committed.mappingErrors {
      let next = try current.settled(at: point, visible: visible, work: &work)
      let context = try replaceCurrent(with: next)
      position = point
      return context
    }
  }

  /// Returns the target that a point maps to in the current provisional order: the position of
  /// the first moving item, not counting any moving items.
  ///
  /// On a cell or one of its custom elements, the target is that cell's position; the cell
  /// shifts towards the items' previous position. On the moving items' frames the target is
  /// their current one. On a header it is its section's first position, on a footer the last
  /// one, if the element is at its laid out position; pinned elements are ignored. Anywhere
  /// else, also on decorations and a section's custom elements, the nearest row of cells in the
  /// section that contains the point is used, and in it the nearest cell: the target is before
  /// or after that cell, depending on the point, or unchanged if the cell is a moving item.
  ///
  /// ``update(to:visible:)`` accepts the target only if it is stable.
  ///
  /// Source: `targetIndexPath(forInteractivelyMovingItem:withPosition:)` of
  /// UICollectionViewLayout, which knows only the first rule.
  ///
  /// - Parameters:
  ///   - point: The point in the content.
  ///   - visible: The visible bounds, to which effects apply; without them no effect acts.
  /// - Complexity: As ``LayoutSnapshot/element(at:visible:)``; if no element is at the point,
  ///   as a query for a rectangle that extends to the nearest cell.
  public func targetIndexPath(
    for point: Point, visible: Rect? = nil
  ) throws -> LayoutAttributes.IndexPath {
    var work = QueryWork.none
    return try committed.mappingErrors {
      try current.target(for: point.bounded, visible: visible, work: &work)
    }
  }

  /// Moves the items to a target, for example one chosen by a delegate.
  ///
  /// - Parameter target: The position of the first moving item, not counting any moving items;
  ///   clamped to the section's end.
  /// - Returns: As ``update(to:visible:)``.
  /// - Throws: ``LayoutCacheError``: `limit` if there is no such section, `cannotLayOut` if the
  ///   content would be too long; the items then stay at their previous positions.
  /// - Complexity: O(log items) nodes for each moved item, and the work of following the move.
  @discardableResult
  public mutating func move(
    to target: LayoutAttributes.IndexPath
  ) throws -> InvalidationContext {
    try committed.mappingErrors {
      try Limits.check(target.section, in: 0...(committed.sectionCount - 1), as: "section")
      var target = target
      target.item = max(0, min(target.item ?? 0, try current.otherCount(inSection: target.section)))
      if target == targetIndexPath { return InvalidationContext() }
      return try replaceCurrent(with: try current.moved(to: target, work: &work))
    }
  }

  private mutating func replaceCurrent(
    with next: ProvisionalTarget
  ) throws -> InvalidationContext {
    if next.indexPath == targetIndexPath { return InvalidationContext() }
    let context = try Self.context(from: current.layout, to: next.layout)
    current = next
    return context
  }

  /// Returns the batch that commits the movement; empty if the order has not changed.
  ///
  /// Nothing is stored before the batch is committed. It refers to the target by a neighbour's
  /// key, so it can be committed after other changes, as long as that neighbour exists.
  public func end() -> [BatchOperation] { current.layout.operations }

  /// Returns the changes when the items return to their committed positions. Nothing else must
  /// be undone.
  public func cancel() throws -> InvalidationContext {
    try committed.mappingErrors {
      try Self.context(from: current.layout, to: ProvisionalLayout(snapshot: committed))
    }
  }

  /// Returns the changes between two layouts derived from the same committed one: the union of
  /// both changes by section. Sections keep their positions.
  private static func context(
    from before: ProvisionalLayout, to after: ProvisionalLayout
  ) throws -> InvalidationContext {
    var context = before.context
    context.formCombination(with: after.context)
    context.work = after.context.work
    context.contentSizeAdjustment = after.snapshot.contentSize - before.snapshot.contentSize
    if context.contentSizeAdjustment != .zero { context.nameEnd(of: after.snapshot.plan.frame) }
    let (old, new) = (before.snapshot, after.snapshot)
    return try new.query { state in
      for section in context.sections.map(\.section) {
        let items = try old.trees.items(ofSection: section, in: state.session)
        let count = try new.trees.items(ofSection: section, in: state.session).count
        // Positions without a cell in the old layout are in neither context.
        let hasCollapsed = try old.trees.items.collapsedCount(in: items, state.session) > 0
        let first = hasCollapsed ? 0 : items.count
        guard first < count else { continue }
        context.invalidate(SectionInvalidation(section: section, items: RangeSet(first..<count)))
      }
      try context.setStarts {
        try new.plan.start(ofSection: $0, in: new.results, state.session)
      }
      return context
    }.result
  }
}

extension LayoutSnapshot {
  /// Begins an interactive movement of items.
  ///
  /// - Parameters:
  ///   - keys: The items' keys, beginning with the held item: the others move next to it
  ///     immediately. A repeated key is ignored.
  ///   - target: The ``InteractiveMovement/targetIndexPath`` of a movement of the same items in
  ///     this snapshot, to resume it if it was not retained; by default the held item's
  ///     position.
  /// - Throws: ``LayoutCacheError``: `noSuchKey`; `limit` without keys, and for a target that
  ///   does not exist in the dataset; otherwise as ``InteractiveMovement/move(to:)``.
  /// - Complexity: O(log items) nodes for each item.
  public func beginMovement(
    of keys: [String], at target: LayoutAttributes.IndexPath? = nil
  ) throws -> InteractiveMovement {
    try mappingErrors { try movement(of: keys, at: target) }
  }

  private func movement(
    of keys: [String], at target: IndexPath?
  ) throws -> InteractiveMovement {
    try Limits.check(keys.count, in: 1...Int.max, as: "number of moving items")
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
      return try InteractiveMovement(self, moved, holding: items[0].key, at: start)
    }
    try Limits.check(target.section, in: 0...(sectionCount - 1), as: "section of the target")
    let itemMax = try moved.otherCount(inSection: target.section, of: self)
    try Limits.check(target.item ?? 0, in: 0...itemMax, as: "item of the target")
    return try InteractiveMovement(
      self, moved, holding: items[0].key,
      at: IndexPath(section: target.section, item: target.item ?? 0))
  }
}

extension InteractiveMovement {
  /// Returns the attributes of the moving items, in their order: each has its own size, is
  /// centred at the pointer, and is above all other elements.
  ///
  /// Source: `layoutAttributesForInteractivelyMovingItem(at:withTargetPosition:)` of
  /// UICollectionViewLayout.
  ///
  /// - Complexity: O(log items) nodes for each item.
  public func movingAttributes() throws -> [LayoutAttributes] {
    try committed.mappingErrors {
      try keys.map { key in
        guard var moving = try snapshot.attributes(forKey: key) else {
          throw Damage(detail: "a moving item is missing")
        }
        moving.center = position
        moving.zIndex = LayoutAttributes.pinnedZIndex
        return moving
      }
    }
  }

  /// Returns the elements whose frames intersect a rectangle, in the provisional order; the
  /// moving items come last, as ``movingAttributes()`` returns them.
  ///
  /// - Parameters:
  ///   - rect: As for ``LayoutSnapshot/elements(in:visible:limit:)``.
  ///   - visible: As for ``LayoutSnapshot/elements(in:visible:limit:)``; no effect acts on the
  ///     moving items.
  /// - Complexity: As ``LayoutSnapshot/elements(in:visible:limit:)`` and ``movingAttributes()``.
  public func elements(in rect: Rect, visible: Rect? = nil) throws -> [LayoutAttributes] {
    try elements(in: rect, visible: visible, limit: .max)
  }

  /// As the public method.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit` for more elements than `limit`, the moving ones
  ///   not counted.
  package func elements(
    in rect: Rect, visible: Rect?, limit: Int
  ) throws -> [LayoutAttributes] {
    let rect = rect.bounded
    let others = try snapshot.wholePage(in: rect, visible: visible, limit: limit).elements.filter {
      guard case .cell(let key) = $0.category else { return true }
      return !items.contains(key)
    }
    return others + (try movingAttributes()).filter { $0.frame.intersects(rect) }
  }
}
