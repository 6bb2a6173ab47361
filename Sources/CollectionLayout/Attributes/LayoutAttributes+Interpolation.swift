import LayoutGeometry

extension LayoutAttributes {
  /// Returns the attributes between these and others of the same element, as shown by
  /// `UICollectionViewTransitionLayout`.
  ///
  /// Rectangles are interpolated by their edges, rounded down to whole units, transforms by
  /// member, and alpha linearly. Other members, such as the z-index and the index path, are
  /// those of `self` in the first half, and those of `final` from the middle on.
  ///
  /// - Parameters:
  ///   - final: The attributes at progress 1.
  ///   - progress: The progress from 0 to 1. Values beyond are clamped; NaN is treated as 0.
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
