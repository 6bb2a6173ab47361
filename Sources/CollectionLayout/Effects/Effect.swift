/// How the visible rectangle changes the cells in it at query time. Nothing of it is
/// stored, and it changes cells only.
///
/// What each does in numbers stands at ``VisibleEffect``.
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

  public static let maximumScaleDefault = 1.3
  /// In degrees.
  public static let maximumAngleDefault = 60.0
}
