/// How the visible rectangle changes the cells in it at query time. Nothing of it is
/// stored, and it changes cells only.
///
/// All positions are along the main axis, from the content's leading edge. With v0
/// and v the start and the length of the visible rectangle, `start` and `length`
/// those of a cell, and d = (start + length/2 - v0 - v/2) / (v/2), which is 0 in the
/// middle and ±1 at the ends:
///
/// - `scale` scales a cell that intersects the visible rectangle by
///   max(0, 1 + (maximumScale - 1) · (1 - |d|)).
/// - `coverStack` moves a cell with start < v0 to v0 and scales it by
///   1 - 0.05 · min(1, (v0 - start)/length). Of the cells with start <= v0 a query for a rectangle
///   leaves out those of which later cells of their section, each as wide across or wider,
///   opaque and not hidden, cover everything in the rectangle. Every cell's z-index is its item's
///   number in the section, counted from 0.
/// - `rotary` turns every cell about the cross axis by
///   -max(-1, min(1, d)) · maximumAngle, with the perspective m34 = -1/500, and sets its
///   z-index to max(0, 1000 - |d| · 1000), of which the product is rounded half up. In a
///   mirrored layout that scrolls horizontally, d has the other sign: angles are those of
///   the content's axes.
/// - `pageTurn` moves a later page to v0. Later pages are those that start after v0,
///   except the feed's first cell, which is the current page while none has come to
///   v0. Every cell's z-index is the number of items in the feed less its item's number
///   in it, counted from 0.
///
/// Z-indices are at least 0 and below `LayoutAttributes.pinnedZIndex`. Transforms act about a
/// cell's centre and replace one that it may have.
@nonexhaustive
public enum Effect: Hashable, Sendable {
  /// Cells are scaled up to a factor toward the middle of the visible rectangle.
  case scale(maximumScale: Double = Effect.maximumScaleDefault)
  /// Cells that leave at the visible start wait there, and later ones slide over them.
  case coverStack
  /// Cells turn away toward the ends of the visible rectangle, as on a drum, up to an
  /// angle in degrees.
  case rotary(maximumAngle: Double = Effect.maximumAngleDefault)
  /// The cells are pages: the current one moves off the later ones, which lie under it.
  case pageTurn

  /// The factor of a ``scale(maximumScale:)`` that states none.
  public static let maximumScaleDefault = 1.3
  /// The angle of a ``rotary(maximumAngle:)`` that states none, in degrees.
  public static let maximumAngleDefault = 60.0
}
