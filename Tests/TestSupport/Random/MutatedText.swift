extension SeededGenerator {
  /// A JSON text with some characters inserted, deleted or doubled at a random place.
  ///
  /// - Parameter snippets: Pieces to insert, besides punctuation, numbers and short strings.
  public mutating func mutated(_ text: String, inserting snippets: [String] = []) -> String {
    var scalars = Array(text.unicodeScalars)
    let place = Int.random(in: 0...scalars.count, using: &self)
    let snippets =
      [
        ",", "}", "{", "[", "]", ":", "\"", "\\", " ", "\n", "0", "-", ".", "e", "é", "null",
        "\"x\"", "\\u0041", "\\ud83d",
      ] + snippets
    switch Int.random(in: 0..<4, using: &self) {
    case 0:
      scalars.insert(contentsOf: snippets.randomElement(using: &self)!.unicodeScalars, at: place)
    case 1: scalars.removeSubrange(place..<min(scalars.count, place + 1))
    case 2: scalars.removeSubrange(place..<min(scalars.count, place + 5))
    default:
      let end = min(scalars.count, place + Int.random(in: 1...20, using: &self))
      scalars.insert(contentsOf: scalars[place..<end], at: place)
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
