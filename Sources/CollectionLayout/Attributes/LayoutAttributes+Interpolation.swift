import LayoutGeometry

extension LayoutAttributes {
  /// The attributes at a part of the way from these to others of the same element: what
  /// `UICollectionViewTransitionLayout` shows.
  ///
  /// Rectangles go by their edges, rounded down to whole units, transforms member by member,
  /// alpha as it is. What is no quantity, such as the z-index and the index path, is this
  /// one's before the middle of the way, and the other's from there on.
  ///
  /// - Parameters:
  ///   - final: Where the way ends.
  ///   - progress: From 0 to 1; what lies beyond is taken for the end that is nearer, and
  ///     what is no number for 0.
  public func interpolated(to final: LayoutAttributes, progress: Double) -> LayoutAttributes {
    guard progress > 0 else { return self }
    guard progress < 1 else { return final }
    var attributes = progress < 0.5 ? self : final
    attributes.untransformedFrame = untransformedFrame.interpolated(
      to: final.untransformedFrame, progress: progress)
    if appearance == nil && final.appearance == nil { return attributes }
    attributes.alpha = alpha + (final.alpha - alpha) * progress
    attributes.transform3D = transform3D.interpolated(to: final.transform3D, progress: progress)
    return attributes
  }
}
