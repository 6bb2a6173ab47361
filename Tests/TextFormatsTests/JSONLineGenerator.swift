import TestSupport

/// Generates lines that are JSON objects, nearly are, or are not at all.
enum JSONLineGenerator {
  static func line(using random: inout SeededGenerator) -> String {
    var line = object(depth: 0, using: &random)
    for _ in 0..<max(0, Int.random(in: -3...3, using: &random)) {
      line = mutated(line, using: &random)
    }
    return line
  }

  private static let names = [
    "key", "key", "width", "width", "height", "section", "span", "k\\u0065y", "x", "", "keys",
  ]
  private static let scalars = [
    "1", "0", "-0", "400", "2.50", "1e3", "-1.5E-2", "1e22", "12345678901234567890", "null", "true",
    "false", "\"a\"", "\"\"", "\"é\\n\\u00e9\"", "\"\\ud83d\\ude00\"", "\"\u{2028}\"",
    "\"longer than fifteen bytes\"",
  ]
  private static let hostileScalars = [
    "01", "1.", ".5", "+1", "--1", "1e", "NaN", "Infinity", "-", "0x1", "nul", "tru", "\"\\ud800\"",
    "\"\\udc00\\ud800\"", "\"\\udc00\\udc00\"", "\"\\q\"", "\"\t\"", "'a'", "1-2", "1e+", "",
    "/**/1", "\"\\u12\"", "-01",
  ]
  private static let snippets = [
    ",", "}", "{", "[", "]", ":", "\"", "\\", " ", "\t", "\r", "0", "-", ".", "e", "u", "é", "//",
  ]

  private static func object(depth: Int, using random: inout SeededGenerator) -> String {
    let members = (0..<Int.random(in: 0...5, using: &random)).map { _ in
      let name = names.randomElement(using: &random)!
      return "\"\(name)\"\(space(&random)):\(space(&random))\(value(depth: depth, using: &random))"
    }
    return "{" + space(&random) + members.joined(separator: space(&random) + ",") + "}"
  }

  private static func value(depth: Int, using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: return hostileScalars.randomElement(using: &random)!
    case 1...3 where depth < 4: return object(depth: depth + 1, using: &random)
    case 4...6 where depth < 4:
      let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        value(depth: depth + 1, using: &random)
      }
      return "[" + elements.joined(separator: ",") + "]"
    default: return scalars.randomElement(using: &random)!
    }
  }

  private static func space(_ random: inout SeededGenerator) -> String {
    Int.random(in: 0..<8, using: &random) == 0 ? " " : ""
  }

  private static func mutated(_ line: String, using random: inout SeededGenerator) -> String {
    var scalars = Array(line.unicodeScalars)
    let place = Int.random(in: 0...scalars.count, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      scalars.insert(contentsOf: snippets.randomElement(using: &random)!.unicodeScalars, at: place)
    case 1 where place < scalars.count: scalars.remove(at: place)
    default: scalars.removeSubrange(place..<min(scalars.count, place + 4))
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }
}
