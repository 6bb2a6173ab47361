/// A length, or a position on an axis, as a whole number of 1/64 point.
///
/// Browsers lay out in the same unit. Sums of lengths are exact and do not depend on their order,
/// so an incrementally updated layout equals, bit for bit, the same layout computed from scratch.
///
///     let gap: Length = 8
///     let width: Length = 182.5
///     let taken = width * 2 + gap  // 373
///
/// Literals are points. Use ``points(_:)`` for numbers computed by a program, and
/// ``init(points:)`` for numbers from input.
///
/// - Note: Arithmetic traps on overflow. All input is first checked against ``Limits``, which
///   keeps every sum far below 2^63.
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
  /// The length zero; the origin of an axis.
  public static let zero = Length(units: 0)

  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.units < rhs.units }

  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self { Length(units: lhs.units + rhs.units) }

  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self { Length(units: lhs.units - rhs.units) }

  /// Returns the negated length.
  @inlinable
  public static prefix func - (length: Self) -> Self { Length(units: -length.units) }

  // A literal may be a length, so `1.5 * 100` could be one too. It is a `Double` unless the
  // context requires a length.

  /// Returns a multiple of the length.
  @inlinable @_disfavoredOverload
  public static func * (lhs: Self, rhs: Int) -> Self { Length(units: lhs.units * Int64(rhs)) }

  /// Returns a multiple of the length.
  @inlinable @_disfavoredOverload
  public static func * (lhs: Int, rhs: Self) -> Self { rhs * lhs }
}

extension Sequence<Length> {
  /// Returns the sum of the lengths; zero for an empty sequence.
  @inlinable
  public func sum() -> Length { reduce(.zero, +) }
}

extension Length: CustomStringConvertible {
  /// The length in points, without a decimal point if it is whole: "183", "182.5".
  public var description: String {
    units % Self.unitsPerPoint == 0 ? String(units / Self.unitsPerPoint) : String(points)
  }
}
