// All conversions between lengths and floating point.

extension Length {
  /// The greatest magnitude in units of a length given in points: beyond it a `Double` does not
  /// represent every unit.
  private static let magnitudeMax = 0x1p53

  /// The length in points; exact, because 64 is a power of two.
  @inlinable
  public var points: Double { Double(units) / Double(Self.unitsPerPoint) }

  /// Returns the length of a number of points, rounded down, toward negative infinity, to a
  /// whole unit.
  ///
  ///     let third = Length.points(390 / 3.5)
  ///
  /// - Precondition: `points` is finite and within ±2^53 units, which are 2^47 points. Use
  ///   ``init(points:)`` for numbers from input.
  public static func points(_ points: Double) -> Length {
    let number = points * Double(unitsPerPoint)
    precondition(abs(number) <= magnitudeMax, "A length cannot hold \(points) points.")
    return Length(units: floor(number))
  }

  /// Creates the length of a number of points, rounded down, toward negative infinity, to a
  /// whole unit.
  ///
  /// - Returns: `nil` if `points` is not finite, or beyond ±2^53 units, where a `Double` does
  ///   not represent every unit.
  public init?(points: Double) {
    let number = points * Double(Self.unitsPerPoint)
    guard abs(number) <= Self.magnitudeMax else { return nil }
    self.init(units: Self.floor(number))
  }

  /// Creates the length of a fractional number of units, rounded down, toward negative infinity.
  ///
  /// - Precondition: `units` is finite and within ±2^62.
  package init(flooringUnits units: Double) { self.init(units: Self.floor(units)) }

  /// Creates the length nearest to a fractional number of units; halves are rounded up, toward
  /// positive infinity. Only for rotations, circles and effects: everything else is rounded down.
  ///
  /// - Precondition: `units` is finite and within ±2^62.
  package init(roundingUnits units: Double) {
    let whole = Self.floor(units)
    self.init(units: units - Double(whole) >= 0.5 ? whole + 1 : whole)
  }

  /// Creates the length nearest to any number of units, halves up. Numbers beyond ±2^53 units
  /// are clamped; NaN becomes the upper bound.
  init(nearestUnits number: Double) {
    self.init(roundingUnits: max(-Self.magnitudeMax, min(Self.magnitudeMax, number)))
  }

  /// Returns the length interpolated from this one to another, rounded down to a whole unit;
  /// exact at both ends.
  ///
  /// - Parameter progress: From 0 to 1.
  package func interpolated(to end: Length, progress: Double) -> Length {
    self + Length(flooringUnits: Double((end - self).units) * progress)
  }

  /// Returns the length multiplied by the ratio of two others, rounded down to a whole unit,
  /// and clamped to ±2^53 units, because any of the three may be untrusted.
  ///
  /// - Precondition: `whole` is not zero.
  package func scaled(by part: Length, of whole: Length) -> Length {
    let number = Double(units) * (Double(part.units) / Double(whole.units))
    return Length(flooringUnits: max(-Self.magnitudeMax, min(Self.magnitudeMax, number)))
  }

  /// Returns the greatest integer not above a number.
  ///
  /// `rounded(.down)` needs the platform's libm; a truncation and one correction do not.
  private static func floor(_ number: Double) -> Int64 {
    let truncated = Int64(number)
    return Double(truncated) > number ? truncated - 1 : truncated
  }
}

extension Length: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates the length of a literal integer number of points: `let gap: Length = 8`.
  ///
  /// - Precondition: As ``points(_:)``.
  public init(integerLiteral points: Int64) { self = .points(Double(points)) }

  /// Creates the length of a literal number of points, rounded down to a whole unit as by
  /// ``points(_:)``: `let width: Length = 182.5`.
  ///
  /// - Precondition: As ``points(_:)``.
  public init(floatLiteral points: Double) { self = .points(points) }
}
