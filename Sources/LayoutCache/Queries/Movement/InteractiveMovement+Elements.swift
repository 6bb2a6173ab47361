public import CollectionLayout
public import LayoutGeometry

extension InteractiveMovement {
  /// The attributes of the moving items, in their order: each has its size and lies with its
  /// middle where the finger is, over all else.
  ///
  /// Source: `layoutAttributesForInteractivelyMovingItem(at:withTargetPosition:)` of
  /// UICollectionViewLayout.
  ///
  /// - Complexity: O(log items) nodes for each item.
  public func movingAttributes() throws -> [LayoutAttributes] {
    try keys.map { key in
      guard var moving = try snapshot.attributes(forKey: key) else {
        throw DamagedLayout(detail: "an item that moves has gone")
      }
      moving.center = position
      moving.zIndex = LayoutAttributes.pinnedZIndex
      return moving
    }
  }

  /// The elements whose frames intersect a rectangle, in the provisional order; the moving
  /// items as ``movingAttributes()`` has them, and last.
  ///
  /// - Parameters:
  ///   - rect: As for ``LayoutSnapshot/elements(in:visible:limit:)``.
  ///   - visible: As there; no effect acts on the moving items.
  /// - Complexity: As there, and as ``movingAttributes()``.
  public func elements(in rect: Rect, visible: Rect? = nil) throws -> [LayoutAttributes] {
    let rect = rect.bounded
    let others = try snapshot.elements(in: rect, visible: visible).elements.filter {
      guard case .cell(let key) = $0.category else { return true }
      return !items.contains(key)
    }
    return others + (try movingAttributes()).filter { $0.frame.intersects(rect) }
  }
}
