extension Transform3D {
  /// The minimum w for the division of a projection. A point at or beyond the eye would divide
  /// by 0 or be inverted; it is treated as just in front of the eye.
  static let perspectiveMin = 0.01

  /// Returns the projection of a transformed point of the plane z = 0, in points.
  public func projecting(x: Double, y: Double) -> (x: Double, y: Double) {
    let w = max(Self.perspectiveMin, x * m14 + y * m24 + m44)
    return ((x * m11 + y * m21 + m41) / w, (x * m12 + y * m22 + m42) / w)
  }

  /// Returns the smallest rectangle that contains a rectangle's four corners after they are
  /// transformed about its centre and projected.
  ///
  /// Each edge is rounded to a whole unit, halves up. Edges beyond ±2^53 units are clamped, so
  /// no transform traps.
  public func boundingBox(of rect: Rect) -> Rect {
    let unitsPerPoint = Double(Length.unitsPerPoint)
    // Halves are exact, and points are units divided by a power of two: only the transform rounds.
    let halfWidth = Double(rect.size.width.units) / 2
    let halfHeight = Double(rect.size.height.units) / 2
    var minX = Double.infinity
    var maxX = -Double.infinity
    var (minY, maxY) = (minX, maxX)
    func take(_ x: Double, _ y: Double) {
      let seen = projecting(x: x / unitsPerPoint, y: y / unitsPerPoint)
      (minX, maxX) = (min(minX, seen.x), max(maxX, seen.x))
      (minY, maxY) = (min(minY, seen.y), max(maxY, seen.y))
    }
    take(-halfWidth, -halfHeight)
    take(halfWidth, -halfHeight)
    take(-halfWidth, halfHeight)
    take(halfWidth, halfHeight)
    let centerX = Double(rect.minX.units) + halfWidth
    let centerY = Double(rect.minY.units) + halfHeight
    func edge(_ center: Double, _ offset: Double) -> Length {
      Length(nearestUnits: center + offset * unitsPerPoint)
    }
    let left = edge(centerX, minX)
    let top = edge(centerY, minY)
    return Rect(
      x: left, y: top, width: edge(centerX, maxX) - left, height: edge(centerY, maxY) - top)
  }

  /// Returns a distance by which a rectangle's ``boundingBox(of:)`` extends beyond it at most, on
  /// any side, in any direction and orientation, in which edges halfway between two units are
  /// rounded differently: 0 only for the identity.
  package func reach(beyond rect: Rect) -> Length {
    if isIdentity { return .zero }
    let box = boundingBox(of: rect)
    let beyond = max(
      rect.minX - box.minX, box.maxX - rect.maxX, rect.minY - box.minY, box.maxY - rect.maxY)
    return max(.zero, beyond) + Length(units: 1)
  }
}
