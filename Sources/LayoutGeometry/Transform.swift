/// An affine transform of the plane: `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`, in points,
/// with y growing downward.
///
/// Points are row vectors multiplied by the matrix from the left, so the first factor of a
/// product acts first:
///
/// ```
///             | a   b   0 |
/// [x y 1]  ×  | c   d   0 |
///             | tx  ty  1 |
/// ```
///
/// Source: CGAffineTransform of Core Graphics, with the same member names and conventions.
/// There is no inverse: nothing here undoes a transform.
public struct Transform: Hashable, Sendable {
  /// The contribution of x to x'.
  public var a: Double
  /// The contribution of x to y'.
  public var b: Double
  /// The contribution of y to x'.
  public var c: Double
  /// The contribution of y to y'.
  public var d: Double
  /// The translation to the right, in points.
  public var tx: Double
  /// The downward translation, in points.
  public var ty: Double

  /// The identity transform.
  public static let identity = Transform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// Creates a transform from its matrix.
  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// Creates a transform that scales each axis by a factor.
  public init(scaleX x: Double, y: Double) {
    self.init(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
  }

  /// Creates a transform that scales both axes by one factor.
  public init(scale: Double) { self.init(scaleX: scale, y: scale) }

  /// Creates a transform that rotates about the origin.
  ///
  /// - Parameter angle: The angle in radians; positive angles turn the x axis toward the y
  ///   axis, which is clockwise on screen because y grows downward.
  public init(rotationBy angle: Double) {
    let (sine, cosine) = sineAndCosine(angle)
    self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// Creates a transform that translates by a distance in points.
  public init(translationX x: Double, y: Double) {
    self.init(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// Whether this is the identity transform.
  public var isIdentity: Bool { self == .identity }

  /// Returns the transform that applies this one and then another: the product of this matrix
  /// and the other's, in this order.
  public func concatenating(_ next: Transform) -> Transform {
    Transform(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d,
      c: c * next.a + d * next.c, d: c * next.b + d * next.d,
      tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
  }
}
