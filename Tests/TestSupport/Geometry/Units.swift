/// Conversion between points and units of 1/64 point.
public enum Units {
  public static let perPoint: Int64 = 64

  /// Points to units, rounded down (-0.5 unit is -1), as everywhere except for circles and effects.
  ///
  /// - Precondition: `points` is finite and its units fit into 63 bits.
  public static func floor(points: Double) -> Int64 {
    // The product is exact.
    floor(units: points * Double(perPoint))
  }

  /// A fractional number of units to the next whole number that is not above it.
  ///
  /// - Precondition: `units` is finite and fits into 63 bits.
  public static func floor(units: Double) -> Int64 { Int64(units.rounded(.down)) }

  /// Points to units, rounded to the nearest unit, halves up (-0.5 unit is 0).
  ///
  /// - Precondition: `points` is finite and its units fit into 63 bits.
  public static func rounding(points: Double) -> Int64 {
    // The product is exact.
    rounding(units: points * Double(perPoint))
  }

  /// A fractional number of units to the nearest unit, halves up.
  ///
  /// - Precondition: `units` is finite and fits into 63 bits.
  public static func rounding(units: Double) -> Int64 {
    // Adding 0.5 before the floor would not be exact: just below one half it rounds up.
    let floor = units.rounded(.down)
    return Int64(floor) + (units - floor >= 0.5 ? 1 : 0)
  }

  /// Units to points; exact up to 2^53 units.
  public static func points(_ units: Int64) -> Double {
    Double(units) / Double(perPoint)
  }
}
