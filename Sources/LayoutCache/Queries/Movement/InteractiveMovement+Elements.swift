public import CollectionLayout
public import LayoutGeometry

extension InteractiveMovement {
  /// Returns the attributes of the moving items, in their order: each has its own size, is
  /// centred at the pointer, and is above all other elements.
  ///
  /// Source: `layoutAttributesForInteractivelyMovingItem(at:withTargetPosition:)` of
  /// UICollectionViewLayout.
  ///
  /// - Complexity: O(log items) nodes for each item.
  public func movingAttributes() throws -> [LayoutAttributes] {
    try keys.map { key in
      guard var moving = try snapshot.attributes(forKey: key) else {
        throw DamagedLayout(detail: "a moving item is missing")
      }
      moving.center = position
      moving.zIndex = LayoutAttributes.pinnedZIndex
      return moving
    }
  }

  /// Returns the elements whose frames intersect a rectangle, in the provisional order; the
  /// moving items come last, as ``movingAttributes()`` returns them.
  ///
  /// - Parameters:
  ///   - rect: As for ``LayoutSnapshot/elements(in:visible:limit:)``.
  ///   - visible: As for ``LayoutSnapshot/elements(in:visible:limit:)``; no effect acts on the
  ///     moving items.
  /// - Complexity: As ``LayoutSnapshot/elements(in:visible:limit:)`` and
  ///   ``movingAttributes()``.
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
