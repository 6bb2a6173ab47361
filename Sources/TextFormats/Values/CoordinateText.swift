import JSONText
package import LayoutGeometry

/// A text that is not a valid number, point, rectangle, list of members or value of an option.
package struct ValueTextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem of the text, in a clause.
  package let description: String

  package init(description: String) { self.description = description }
}

extension Rect {
  /// Parses "X,Y,WIDTH,HEIGHT" in points; each edge is rounded down.
  package init(coordinates text: String) throws(ValueTextError) {
    let numbers = try numbers(text, ["X", "Y", "WIDTH", "HEIGHT"])
    if numbers[2] < 0 || numbers[3] < 0 {
      throw ValueTextError(description: "WIDTH and HEIGHT must be at least 0")
    }
    guard
      let rect = Rect(pointsX: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    else { throw ValueTextError(description: "the rectangle exceeds the range of lengths") }
    self = rect
  }
}

extension Point {
  /// Parses "X,Y" in points, rounded down.
  package init(coordinates text: String) throws(ValueTextError) {
    let numbers = try numbers(text, ["X", "Y"])
    guard let x = Length(points: numbers[0]), let y = Length(points: numbers[1]) else {
      throw ValueTextError(description: "the point exceeds the range of lengths")
    }
    self.init(x: x, y: y)
  }
}

extension Size {
  /// Parses "WIDTH,HEIGHT" in points, rounded down.
  package init(coordinates text: String) throws(ValueTextError) {
    let numbers = try numbers(text, ["WIDTH", "HEIGHT"])
    guard let width = Length(points: numbers[0]), let height = Length(points: numbers[1]),
      min(width, height) >= .zero
    else { throw ValueTextError(description: "WIDTH and HEIGHT must be lengths of at least 0") }
    self.init(width: width, height: height)
  }
}

/// Parses a finite number in decimal notation.
package func decimalNumber(_ text: some StringProtocol) throws(ValueTextError) -> Double {
  // The usual numbers, without a copy of the text.
  if let number = text.utf8.withContiguousStorageIfAvailable({
    try? parseDouble(UnsafeRawBufferPointer($0))
  }), let number {
    return number
  }
  let isDecimal = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
  guard isDecimal, let number = Double(text), number.isFinite else {
    throw ValueTextError(description: "'\(excerpt(String(text)))' is not a number")
  }
  return number
}

extension Substring {
  /// The text without spaces at its ends.
  package var trimmingSpaces: Substring {
    var bytes = utf8
    while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
    while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    return Substring(bytes)
  }
}

private func numbers(
  _ text: String, _ names: [String]
) throws(ValueTextError) -> [Double] {
  let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  guard parts.count == names.count else {
    throw ValueTextError(
      description: "expected \(names.count) numbers, \(names.joined(separator: ","))")
  }
  var numbers: [Double] = []
  for part in parts { numbers.append(try decimalNumber(Substring(part).trimmingSpaces)) }
  return numbers
}
