/// A length, or a position on an axis, as a whole number of 1/64 point.
///
/// 1/64 point is the unit that browsers lay out in. Sums of lengths are exact
/// and do not depend on their order, which is what makes an incrementally
/// updated layout equal, bit for bit, to the same layout computed from scratch.
///
///     let gap: Length = 8
///     let width: Length = 182.5
///     let taken = width * 2 + gap  // 373
///
/// Numbers that are written down are points. Those that a program has computed
/// become lengths by ``points(_:)``, those that it was given by ``init(points:)``.
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

  /// Half the length, of either sign, rounded down to a whole unit.
  package var half: Length { Length(units: units >> 1) }
}

extension Length: Comparable, AdditiveArithmetic {
  /// No length; the position of an axis's origin.
  public static let zero = Length(units: 0)

  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.units < rhs.units }

  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self { Length(units: lhs.units + rhs.units) }

  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self { Length(units: lhs.units - rhs.units) }

  /// The length on the other side of zero.
  @inlinable
  public static prefix func - (length: Self) -> Self { Length(units: -length.units) }

  // A number that is written down may be a length, so that `1.5 * 100` could be one too.
  // It is a `Double` unless nothing but a length will do.

  /// The length a number of times over.
  @inlinable @_disfavoredOverload
  public static func * (lhs: Self, rhs: Int) -> Self { Length(units: lhs.units * Int64(rhs)) }

  /// The length a number of times over.
  @inlinable @_disfavoredOverload
  public static func * (lhs: Int, rhs: Self) -> Self { rhs * lhs }
}

extension Sequence<Length> {
  /// The sum of the lengths; zero where there are none.
  @inlinable
  public func sum() -> Length { reduce(.zero, +) }
}

extension Length: CustomStringConvertible {
  /// The length in points, without a decimal point where it is whole: "183", "182.5".
  public var description: String {
    units % Self.unitsPerPoint == 0 ? String(units / Self.unitsPerPoint) : String(points)
  }
}
