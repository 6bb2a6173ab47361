// All that lengths have to do with floating point: numbers that come in, and the one
// that goes out.

extension Length {
  /// The greatest magnitude in units that a number of points may come to: beyond it a
  /// `Double` no longer counts every unit.
  private static let magnitudeMax = 0x1p53

  /// The length in points; exact, because 64 is a power of two.
  @inlinable
  public var points: Double { Double(units) / Double(Self.unitsPerPoint) }

  /// The length of a number of points, rounded down, toward negative infinity, to a
  /// whole unit.
  ///
  ///     let third = Length.points(390 / 3.5)
  ///
  /// - Precondition: `points` is finite and within ±2^53 units, which are 2^47 points.
  ///   Take ``init(points:)`` for numbers that somebody else has chosen.
  public static func points(_ points: Double) -> Length {
    let number = points * Double(unitsPerPoint)
    precondition(abs(number) <= magnitudeMax, "A length cannot hold \(points) points.")
    return Length(units: floor(number))
  }

  /// Creates the length of a number of points, rounded down, toward negative infinity,
  /// to a whole unit.
  ///
  /// - Returns: `nil` where `points` is not finite, or beyond ±2^53 units, where
  ///   a `Double` no longer counts every unit.
  public init?(points: Double) {
    let number = points * Double(Self.unitsPerPoint)
    guard abs(number) <= Self.magnitudeMax else { return nil }
    self.init(units: Self.floor(number))
  }

  /// Creates the length of a number of units that need not be whole, rounded down,
  /// toward negative infinity.
  ///
  /// - Precondition: `units` is finite and within ±2^62.
  package init(flooringUnits units: Double) { self.init(units: Self.floor(units)) }

  /// Creates the length nearest to a number of units that need not be whole; halves
  /// are rounded up, toward positive infinity. Only for what is turned, circles and
  /// effects: all else is rounded down.
  ///
  /// - Precondition: `units` is finite and within ±2^62.
  package init(roundingUnits units: Double) {
    let whole = Self.floor(units)
    self.init(units: units - Double(whole) >= 0.5 ? whole + 1 : whole)
  }

  /// Creates the length nearest to a number of units, halves up, of any number:
  /// what lies beyond ±2^53 units becomes that bound, and what is no number the upper
  /// one.
  init(nearestUnits number: Double) {
    self.init(roundingUnits: max(-Self.magnitudeMax, min(Self.magnitudeMax, number)))
  }

  /// The length at a part of the way from this one to another, rounded down to a whole
  /// unit; exact at both ends.
  ///
  /// - Parameter progress: From 0 to 1.
  package func interpolated(to end: Length, progress: Double) -> Length {
    self + Length(flooringUnits: Double((end - self).units) * progress)
  }

  /// The length by a ratio of two others, rounded down to a whole unit; held to ±2^53 units,
  /// because the three may come from anywhere.
  ///
  /// - Precondition: The second of them is not zero.
  package func scaled(by part: Length, of whole: Length) -> Length {
    let number = Double(units) * (Double(part.units) / Double(whole.units))
    return Length(flooringUnits: max(-Self.magnitudeMax, min(Self.magnitudeMax, number)))
  }

  /// The greatest whole number that is not above a number.
  ///
  /// `rounded(.down)` needs the platform's libm; a truncation and one correction do
  /// not.
  private static func floor(_ number: Double) -> Int64 {
    let truncated = Int64(number)
    return Double(truncated) > number ? truncated - 1 : truncated
  }
}

extension Length: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates the length of a whole number of points that is written in the program:
  /// `let gap: Length = 8`.
  ///
  /// - Precondition: As ``points(_:)``.
  public init(integerLiteral points: Int64) { self = .points(Double(points)) }

  /// Creates the length of a number of points that is written in the program, rounded
  /// down to a whole unit as ``points(_:)`` does: `let width: Length = 182.5`.
  ///
  /// - Precondition: As ``points(_:)``.
  public init(floatLiteral points: Double) { self = .points(points) }
}
