/// A length, or a position on an axis, as a whole number of 1/64 point.
///
/// 1/64 point is the unit that browsers lay out in. Sums of lengths are exact
/// and do not depend on their order, which is what makes an incrementally
/// updated layout equal, bit for bit, to the same layout computed from scratch.
///
/// Floating point is met in two places only: ``init(points:)`` on the way in and
/// ``points`` on the way out.
///
/// - Note: Arithmetic traps on overflow. Everything that comes from outside is
///   held to ``Limits`` first, which keeps every sum far below 2^63.
public struct Length: Hashable, Sendable {
  /// The number of 1/64 points.
  public var units: Int64

  /// The units in one point.
  public static let unitsPerPoint: Int64 = 64

  /// Creates a length from a count of 1/64 points.
  @inlinable
  public init(units: Int64) {
    self.units = units
  }

  /// Creates the length nearest to a number of points; halves are rounded up,
  /// toward positive infinity.
  ///
  /// - Returns: `nil` where `points` is not finite, or beyond ±2^53 units, where
  ///   a `Double` no longer counts every unit.
  public init?(points: Double) {
    let scaled = points * Double(Self.unitsPerPoint)
    guard scaled.isFinite, abs(scaled) <= 0x1p53 else { return nil }
    self.init(roundingUnits: scaled)
  }

  /// Creates the length nearest to a number of units that need not be whole; halves
  /// are rounded up, toward positive infinity.
  ///
  /// - Precondition: `units` is finite and within ±2^62.
  public init(roundingUnits units: Double) {
    // `rounded(.down)` needs the platform's libm; a truncation and one
    // correction do not.
    var floor = Int64(units)
    if Double(floor) > units { floor -= 1 }
    self.units = units - Double(floor) >= 0.5 ? floor + 1 : floor
  }

  /// Half the length, of either sign; half a unit is rounded up.
  package var half: Length { Length(units: (units + 1) >> 1) }

  /// The length in points; exact, because 64 is a power of two.
  @inlinable
  public var points: Double { Double(units) / Double(Self.unitsPerPoint) }
}

extension Length: Comparable, AdditiveArithmetic {
  public static let zero = Length(units: 0)

  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.units < rhs.units }

  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self { Length(units: lhs.units + rhs.units) }

  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self { Length(units: lhs.units - rhs.units) }

  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self { Length(units: lhs.units * Int64(rhs)) }
}

extension Length: CustomStringConvertible {
  /// The length in points, without a decimal point where it is whole.
  public var description: String {
    units % Self.unitsPerPoint == 0 ? String(units / Self.unitsPerPoint) : String(points)
  }
}
