/// A transform of space, with perspective: a matrix of four rows and four columns
/// by which row vectors `[x y z 1]`, in points, are multiplied from the left.
///
/// `m23` is in row 2 and column 3; the translation is row 4. The result's fourth member, w,
/// divides the others: `m34 = -1/500` is the perspective of an eye 500 points in front of the
/// plane. The first factor of a product acts first.
///
/// Source: CATransform3D of Core Animation, with the same member names and conventions. There
/// is no inverse: nothing here undoes a transform.
public struct Transform3D: Hashable, Sendable {
  /// The first row: the contributions of x.
  public var m11, m12, m13, m14: Double
  /// The second row: the contributions of y.
  public var m21, m22, m23, m24: Double
  /// The third row: the contributions of z.
  public var m31, m32, m33, m34: Double
  /// The fourth row: the translation, in points.
  public var m41, m42, m43, m44: Double

  /// The identity transform.
  public static let identity = Transform3D()

  /// Creates the identity transform.
  public init() {
    (m11, m12, m13, m14) = (1, 0, 0, 0)
    (m21, m22, m23, m24) = (0, 1, 0, 0)
    (m31, m32, m33, m34) = (0, 0, 1, 0)
    (m41, m42, m43, m44) = (0, 0, 0, 1)
  }

  /// Creates the transform that acts like an affine one on the plane, and does not change z.
  public init(affine: Transform) {
    self.init()
    (m11, m12) = (affine.a, affine.b)
    (m21, m22) = (affine.c, affine.d)
    (m41, m42) = (affine.tx, affine.ty)
  }

  /// Creates a transform that scales each axis by a factor.
  public init(scaleX x: Double, y: Double, z: Double) {
    self.init()
    (m11, m22, m33) = (x, y, z)
  }

  /// Creates a transform that translates by a distance in points.
  public init(translationX x: Double, y: Double, z: Double) {
    self.init()
    (m41, m42, m43) = (x, y, z)
  }

  /// Creates a transform that rotates about an axis through the origin; a positive angle about
  /// z turns the x axis toward the y axis.
  ///
  /// - Parameters:
  ///   - angle: The angle in radians.
  ///   - x: The axis's component to the right. The axis may have any length; with length 0
  ///     there is no rotation, as in Core Animation.
  ///   - y: The axis's downward component.
  ///   - z: The axis's component toward the eye.
  public init(rotationBy angle: Double, aboutX x: Double, y: Double, z: Double) {
    self.init()
    let length = (x * x + y * y + z * z).squareRoot()
    guard length > 0 else { return }
    let (x, y, z) = (x / length, y / length, z / length)
    let (sine, cosine) = sineAndCosine(angle)
    let rest = 1 - cosine
    // Written so that about a coordinate axis each 1, 0 and cosine is exact.
    func diagonal(_ member: Double) -> Double {
      member * member + (1 - member * member) * cosine
    }
    m11 = diagonal(x)
    m12 = x * y * rest + z * sine
    m13 = x * z * rest - y * sine
    m21 = x * y * rest - z * sine
    m22 = diagonal(y)
    m23 = y * z * rest + x * sine
    m31 = x * z * rest + y * sine
    m32 = y * z * rest - x * sine
    m33 = diagonal(z)
  }

  /// Whether this is the identity transform.
  public var isIdentity: Bool { self == .identity }

  /// The equivalent affine transform, or `nil` if this transform leaves the plane or has
  /// perspective.
  public var affine: Transform? {
    let keepsPlane =
      m13 == 0 && m23 == 0 && m43 == 0 && m31 == 0 && m32 == 0 && m33 == 1
    let isParallel = m14 == 0 && m24 == 0 && m34 == 0 && m44 == 1
    guard keepsPlane && isParallel else { return nil }
    return Transform(a: m11, b: m12, c: m21, d: m22, tx: m41, ty: m42)
  }

  /// Returns the transform that applies this one and then another: the product of this matrix
  /// and the other's, in this order.
  public func concatenating(_ next: Transform3D) -> Transform3D {
    /// Returns one row of the product, from a row of this matrix.
    func row(
      _ x: Double, _ y: Double, _ z: Double, _ w: Double
    ) -> (Double, Double, Double, Double) {
      (
        x * next.m11 + y * next.m21 + z * next.m31 + w * next.m41,
        x * next.m12 + y * next.m22 + z * next.m32 + w * next.m42,
        x * next.m13 + y * next.m23 + z * next.m33 + w * next.m43,
        x * next.m14 + y * next.m24 + z * next.m34 + w * next.m44
      )
    }
    var product = Transform3D()
    (product.m11, product.m12, product.m13, product.m14) = row(m11, m12, m13, m14)
    (product.m21, product.m22, product.m23, product.m24) = row(m21, m22, m23, m24)
    (product.m31, product.m32, product.m33, product.m34) = row(m31, m32, m33, m34)
    (product.m41, product.m42, product.m43, product.m44) = row(m41, m42, m43, m44)
    return product
  }
}
