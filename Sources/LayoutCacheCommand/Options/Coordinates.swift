import ArgumentParser
import LayoutGeometry
import TextFormats

extension Rect {
  /// Reads "X,Y,WIDTH,HEIGHT" in points; each edge is rounded down.
  init(argument text: String) throws {
    self = try validating { () throws(CoordinateError) in try Rect(coordinates: text) }
  }
}

extension Point {
  /// Reads "X,Y" in points, rounded down.
  init(argument text: String) throws {
    self = try validating { () throws(CoordinateError) in try Point(coordinates: text) }
  }
}

/// Reads a finite number in decimal notation.
func number(_ text: some StringProtocol) throws -> Double {
  try validating { () throws(CoordinateError) in try decimalNumber(text) }
}

/// Reads a whole number in decimal notation.
func wholeNumber(_ text: String) throws -> Int {
  guard let number = Int(text) else {
    throw ValidationError("'\(excerpt(text))' is not a whole number")
  }
  return number
}

/// Makes what is wrong with a text an error of usage.
private func validating<R>(_ read: () throws(CoordinateError) -> R) throws -> R {
  do { return try read() } catch { throw ValidationError(error.description) }
}
