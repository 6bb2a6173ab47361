/// An affine transform of the plane: `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`,
/// in points, with y growing downward.
///
/// Points are row vectors that are multiplied by the matrix from the left, so of a
/// product the first factor acts first:
///
/// ```
///             | a   b   0 |
/// [x y 1]  ×  | c   d   0 |
///             | tx  ty  1 |
/// ```
///
/// Source: CGAffineTransform of Core Graphics, whose member names and conventions
/// it has. There is no inverse: nothing here undoes a transform.
public struct Transform: Hashable, Sendable {
  /// How much of x goes into x'.
  public var a: Double
  /// How much of x goes into y'.
  public var b: Double
  /// How much of y goes into x'.
  public var c: Double
  /// How much of y goes into y'.
  public var d: Double
  /// How far the transform moves to the right, in points.
  public var tx: Double
  /// How far the transform moves down, in points.
  public var ty: Double

  /// The transform that changes nothing.
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
  /// - Parameter angle: The angle in radians; positive ones turn the x axis toward
  ///   the y axis, which is clockwise to the eye as y grows downward.
  public init(rotationBy angle: Double) {
    let (sine, cosine) = sineAndCosine(angle)
    self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// Creates a transform that moves by a distance in points.
  public init(translationX x: Double, y: Double) {
    self.init(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// Whether the transform changes nothing.
  public var isIdentity: Bool { self == .identity }

  /// The transform that does what this one does and then what another one does:
  /// the product of this matrix and the other's, in this order.
  public func concatenating(_ next: Transform) -> Transform {
    Transform(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d,
      c: c * next.a + d * next.c, d: c * next.b + d * next.d,
      tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
  }
}
