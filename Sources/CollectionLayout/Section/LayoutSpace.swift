package import LayoutGeometry

/// The one place that knows axes and directions. Every algorithm works in the
/// *canonical* space, which scrolls downward and reads from left to right; this
/// value carries sizes, points and rectangles there and back.
///
/// Transposition exchanges x and y where the layout scrolls horizontally;
/// mirroring, `x' = contentWidth - x - width`, follows where it reads from right
/// to left. Canonical y is the main axis, canonical x the cross axis.
package struct LayoutSpace: Hashable, Sendable {
  /// The axis that scrolls.
  package let scrollAxis: Axis
  /// Whether x is mirrored in the content.
  package let isMirrored: Bool
  /// The container in canonical axes: its width is the cross length.
  package let container: Size

  /// The container's length across the scrolling axis.
  @inlinable package var crossLength: Length { container.width }

  /// The content's size, for a length along the main axis.
  @inlinable
  package func contentSize(mainLength: Length) -> Size {
    oriented(Size(width: crossLength, height: mainLength))
  }

  /// A size with x and y exchanged where the layout scrolls horizontally; its
  /// own inverse.
  @inlinable
  package func oriented(_ size: Size) -> Size {
    scrollAxis == .vertical ? size : size.transposed
  }

  /// Carries a rectangle of the content into the canonical space.
  ///
  /// - Parameter mainLength: The content's length along the main axis.
  @inlinable
  package func canonical(_ rect: Rect, mainLength: Length) -> Rect {
    let rect = mirrored(rect, mainLength: mainLength)
    return scrollAxis == .vertical ? rect : rect.transposed
  }

  /// Carries a rectangle of the canonical space into the content.
  ///
  /// - Parameter mainLength: The content's length along the main axis.
  @inlinable
  @inline(__always)
  package func content(_ rect: Rect, mainLength: Length) -> Rect {
    mirrored(scrollAxis == .vertical ? rect : rect.transposed, mainLength: mainLength)
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
