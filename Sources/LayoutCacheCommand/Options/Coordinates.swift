import ArgumentParser
import LayoutGeometry
import TextFormats

extension Rect {
  /// Parses "X,Y,WIDTH,HEIGHT" in points; each edge is rounded down.
  init(argument text: String) throws {
    self = try validating { () throws(ValueTextError) in try Rect(coordinates: text) }
  }
}

extension Point {
  /// Parses "X,Y" in points, rounded down.
  init(argument text: String) throws {
    self = try validating { () throws(ValueTextError) in try Point(coordinates: text) }
  }
}

/// Parses a finite number in decimal notation.
func number(_ text: some StringProtocol) throws -> Double {
  try validating { () throws(ValueTextError) in try decimalNumber(text) }
}

/// Parses an integer in decimal notation.
func wholeNumber(_ text: some StringProtocol) throws -> Int {
  guard let number = Int(text) else {
    throw ValidationError("'\(excerpt(String(text)))' is not a whole number")
  }
  return number
}

/// Converts a parse error to a usage error.
private func validating<R>(_ read: () throws(ValueTextError) -> R) throws -> R {
  do { return try read() } catch { throw ValidationError(error.description) }
}
