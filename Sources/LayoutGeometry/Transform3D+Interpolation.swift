extension Transform3D {
  /// Returns the transform interpolated from this one to another, by member. Rotating elements
  /// shrink a little halfway.
  ///
  /// - Parameter progress: From 0, which is this transform, to 1, which is the other.
  package func interpolated(to end: Transform3D, progress: Double) -> Transform3D {
    func mixed(_ member: KeyPath<Transform3D, Double>) -> Double {
      self[keyPath: member] + (end[keyPath: member] - self[keyPath: member]) * progress
    }
    var transform = Transform3D()
    (transform.m11, transform.m12) = (mixed(\.m11), mixed(\.m12))
    (transform.m13, transform.m14) = (mixed(\.m13), mixed(\.m14))
    (transform.m21, transform.m22) = (mixed(\.m21), mixed(\.m22))
    (transform.m23, transform.m24) = (mixed(\.m23), mixed(\.m24))
    (transform.m31, transform.m32) = (mixed(\.m31), mixed(\.m32))
    (transform.m33, transform.m34) = (mixed(\.m33), mixed(\.m34))
    (transform.m41, transform.m42) = (mixed(\.m41), mixed(\.m42))
    (transform.m43, transform.m44) = (mixed(\.m43), mixed(\.m44))
    return transform
  }
}
