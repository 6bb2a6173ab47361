import Foundation
import Testing

// Phrases that readers stumble over, counted by group of files. A count may fall, never rise. A
// change that lowers a count must lower its limit too: the test prints the lower ones.

@Suite struct WordingTests {
  private static let groups = ["Sources", "Tests", "docs", "README.md"]

  /// A pattern and its permitted number of occurrences in each group.
  ///
  /// "Behind" in the sense of lagging and "no more than" are good English, so the first and the
  /// last count never reach 0.
  private static let limits: [(pattern: String, counts: [Int])] = [
    (#"\b[Bb]ehind\b"#, [141, 69, 26, 0]),
    (#"\b[Bb]eside\b"#, [2, 10, 0, 0]),
    (#"\b[Aa]new\b"#, [0, 4, 0, 0]),
    (
      #"\b(stands?|stood) (in|at|for|beside|behind|under|alone|by|where|twice|there|nowhere|on|before|above|too|with|as)\b"#,
      [0, 1, 0, 0]
    ),
    (#"\b[Ww]hoever\b"#, [0, 7, 0, 0]),
    (#"\b(comes?|came) to (nothing|be|it|on|the|an?|what|that|stand|lie|on)\b"#, [0, 1, 0, 0]),
    (#"\b(goes|go|went|going) on\b"#, [0, 0, 0, 0]),
    (#"\bcounts? for nothing\b"#, [0, 0, 0, 0]),
    (#"\b(is|was|are) said\b|\b(says|say|said) so\b"#, [0, 0, 0, 0]),
    (#"\bof (its|their|his|her|your) own\b|\bone's own\b"#, [0, 12, 2, 0]),
    (#"\b(takes?|taken|took|taking) (\w+ ){0,2}(along|back)\b"#, [0, 13, 0, 0]),
    (#"\b[Mm]eanwhile\b"#, [0, 5, 0, 0]),
    (#"\b([Nn]o|[Ee]very|[Ss]ome|[Aa]ny)body\b"#, [1, 19, 0, 0]),
    (#"^\s*(///|//|\*)\s+-?\s*(What|Who|That which) (?!if\b)[a-z]+"#, [2, 30, 0, 0]),
    (#"\b(of|by|for|to|with|from|behind) what\b"#, [1, 12, 1, 0]),
    (#"\b(no|not|any) more\b"#, [0, 2, 4, 0]),
  ]

  /// The texts of a group, by path.
  private static func texts(of group: String) throws -> [(path: String, text: String)] {
    let root = TidyTests.root.appending(path: group)
    let suffixes = [
      ".swift", ".md", ".json", ".js", ".ts", ".css", ".html", ".sql", ".py", ".c", ".h",
      ".tutorial",
      ".mjs",
    ]
    let names =
      group == "README.md"
      ? [""]
      : FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return try names.sorted().compactMap { name in
      let file = name.isEmpty ? root : root.appending(path: name)
      guard suffixes.contains(where: file.path.hasSuffix), !name.hasSuffix("WordingTests.swift")
      else { return nil }
      return (file.path, try String(contentsOf: file, encoding: .utf8))
    }
  }

  static func count(_ pattern: String, in text: String) throws -> Int {
    let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    return expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
  }

  @Test(arguments: groups) func countsOfDiscouragedPhrasesDoNotRise(group: String) throws {
    let texts = try Self.texts(of: group)
    #expect(!texts.isEmpty)
    let column = Self.groups.firstIndex(of: group)!
    for (pattern, limits) in Self.limits {
      let count = try texts.reduce(0) { try $0 + Self.count(pattern, in: $1.text) }
      #expect(count <= limits[column], "\(pattern) in \(group)")
      if count < limits[column] {
        print("\(pattern) occurs \(count) times in \(group); its limit is \(limits[column])")
      }
    }
  }

  @Test func thePatternsMatchAnExampleText() throws {
    let text = "  /// What is said of it.\n  // It goes on behind what nobody takes back, anew.\n"
    let counts = try Self.limits.map { try Self.count($0.pattern, in: text) }
    #expect(counts == [1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0])
  }
}
