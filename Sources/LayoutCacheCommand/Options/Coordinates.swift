import ArgumentParser
import LayoutGeometry

extension Rect {
  /// Reads "X,Y,WIDTH,HEIGHT" in points.
  init(coordinates text: String) throws {
    let numbers = try lengths(text, ["X", "Y", "WIDTH", "HEIGHT"])
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    if size.width < .zero || size.height < .zero {
      throw ValidationError("WIDTH and HEIGHT are at least 0")
    }
  }
}

extension Point {
  /// Reads "X,Y" in points.
  init(coordinates text: String) throws {
    let numbers = try lengths(text, ["X", "Y"])
    self.init(x: numbers[0], y: numbers[1])
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

private func lengths(_ text: String, _ names: [String]) throws -> [Length] {
  let parts = text.split(separator: ",", omittingEmptySubsequences: false)
  guard parts.count == names.count else {
    throw ValidationError("it takes \(names.count) numbers, \(names.joined(separator: ","))")
  }
  return try zip(parts, names).map { part, name in
    guard let length = Length(points: try number(part.trimmingSpaces)) else {
      throw ValidationError("\(name) is beyond what a length can hold")
    }
    return length
  }
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
