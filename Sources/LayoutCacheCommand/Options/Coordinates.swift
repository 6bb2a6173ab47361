import ArgumentParser
import LayoutGeometry

extension Rect {
  /// Reads "X,Y,WIDTH,HEIGHT" in points; each edge is rounded down.
  init(coordinates text: String) throws {
    let numbers = try numbers(text, ["X", "Y", "WIDTH", "HEIGHT"])
    if numbers[2] < 0 || numbers[3] < 0 {
      throw ValidationError("WIDTH and HEIGHT are at least 0")
    }
    guard
      let rect = Rect(pointsX: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    else { throw ValidationError("the rectangle is beyond what a length can hold") }
    self = rect
  }
}

extension Point {
  /// Reads "X,Y" in points, rounded down.
  init(coordinates text: String) throws {
    let numbers = try numbers(text, ["X", "Y"])
    guard let x = Length(points: numbers[0]), let y = Length(points: numbers[1]) else {
      throw ValidationError("the point is beyond what a length can hold")
    }
    self.init(x: x, y: y)
  }
}

/// Reads a finite number in decimal notation.
func number(_ text: some StringProtocol) throws -> Double {
  let characters = Set("0123456789+-.eE")
  guard text.allSatisfy(characters.contains), let number = Double(text), number.isFinite else {
    throw ValidationError("'\(excerpt(String(text)))' is not a number")
  }
  return number
}

/// Reads a whole number in decimal notation.
func wholeNumber(_ text: String) throws -> Int {
  guard let number = Int(text) else {
    throw ValidationError("'\(excerpt(text))' is not a whole number")
  }
  return number
}

private func numbers(_ text: String, _ names: [String]) throws -> [Double] {
  let parts = text.split(separator: ",", omittingEmptySubsequences: false)
  guard parts.count == names.count else {
    throw ValidationError("it takes \(names.count) numbers, \(names.joined(separator: ","))")
  }
  return try parts.map { try number($0.trimmingSpaces) }
}

extension Substring {
  /// The text without spaces at its ends.
  var trimmingSpaces: Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
