package import LayoutGeometry

/// The conversion between the content's axes and directions and the *canonical* space, in which
/// every algorithm works: it scrolls downward and reads from left to right.
///
/// Transposition exchanges x and y if the layout scrolls horizontally; mirroring,
/// `x' = contentWidth - x - width`, follows if it reads from right to left. Canonical y is the
/// main axis, canonical x the cross axis.
package struct LayoutSpace: Hashable, Sendable {
  package let scrollAxis: Axis
  /// Whether x is mirrored in the content.
  package fileprivate(set) var isMirrored: Bool
  /// The container in canonical axes: its width is the cross length.
  package let container: Size

  /// The container's length across the scrolling axis.
  @inlinable package var crossLength: Length { container.width }

  /// The space with the widest container.
  var widest: LayoutSpace {
    LayoutSpace(
      scrollAxis: scrollAxis, isMirrored: isMirrored,
      container: Size(width: Limits.sideMax, height: container.height))
  }

  /// Returns the space of content that reads in a direction.
  package func reading(_ direction: LayoutConfiguration.LayoutDirection) -> LayoutSpace {
    var space = self
    space.isMirrored = direction == .rightToLeft
    return space
  }

  /// Returns the content's size for a length along the main axis.
  @inlinable
  package func contentSize(mainLength: Length) -> Size {
    oriented(Size(width: crossLength, height: mainLength))
  }

  /// Returns a size with x and y exchanged if the layout scrolls horizontally; an involution.
  @inlinable
  package func oriented(_ size: Size) -> Size {
    scrollAxis == .vertical ? size : size.transposed
  }

  /// Converts a rectangle from the content to the canonical space.
  ///
  /// - Parameter mainLength: The content's length along the main axis.
  @inlinable
  package func canonical(_ rect: Rect, mainLength: Length) -> Rect {
    let rect = mirrored(rect, mainLength: mainLength)
    return scrollAxis == .vertical ? rect : rect.transposed
  }

  /// Converts a rectangle from the canonical space to the content.
  ///
  /// - Parameter mainLength: The content's length along the main axis.
  @inlinable
  @inline(__always)
  package func content(_ rect: Rect, mainLength: Length) -> Rect {
    mirrored(scrollAxis == .vertical ? rect : rect.transposed, mainLength: mainLength)
  }

  /// Converts a transform about a rectangle's centre from the canonical space to the content, so
  /// that the transformed rectangle is mirrored and transposed like any other.
  package func content(_ transform: Transform3D) -> Transform3D {
    var axes = Transform3D.identity
    if scrollAxis == .horizontal { (axes.m11, axes.m12, axes.m21, axes.m22) = (0, 1, 1, 0) }
    var inverse = axes
    if isMirrored {
      let mirror = Transform3D(scaleX: -1, y: 1, z: 1)
      (axes, inverse) = (axes.concatenating(mirror), mirror.concatenating(inverse))
    }
    return inverse.concatenating(transform).concatenating(axes)
  }

  @inlinable
  @inline(__always)
  func mirrored(_ rect: Rect, mainLength: Length) -> Rect {
    guard isMirrored else { return rect }
    var rect = rect
    let contentWidth = scrollAxis == .vertical ? crossLength : mainLength
    rect.origin.x = contentWidth - rect.origin.x - rect.size.width
    return rect
  }
}
