/// Conversion between points and units of 1/64 point.
public enum Units {
  public static let perPoint: Int64 = 64

  /// Points to units, rounded to the nearest unit, halves up (-0.5 unit is 0).
  ///
  /// - Precondition: `points` is finite and its units fit into 63 bits.
  public static func rounding(points: Double) -> Int64 {
    // The product is exact. Adding 0.5 before the floor would not be: just below one half it rounds up.
    let exact = points * Double(perPoint)
    let floor = exact.rounded(.down)
    return Int64(floor) + (exact - floor >= 0.5 ? 1 : 0)
  }

  /// Units to points; exact up to 2^53 units.
  public static func points(_ units: Int64) -> Double {
    Double(units) / Double(perPoint)
  }
}
