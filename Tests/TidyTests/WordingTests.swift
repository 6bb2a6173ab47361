import Foundation
import Testing

// Phrases that readers stumble over, counted by group of files. A count may fall, never rise. A
// change that lowers a count must lower its limit too: the test prints the lower ones.

@Suite struct WordingTests {
  private static let groups: [(name: String, paths: [String])] = [
    ("Sources", ["Sources"]),
    ("Tests", ["Tests"]),
    (
      "documents",
      ["docs", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md"]
    ),
    ("Benchmarks", ["Benchmarks"]),
    (
      "build",
      ["Makefile", "Package.swift", ".ci", ".github", "Scripts", "packaging", "migrations"]
    ),
    ("clients", ["Examples", "clients"]),
  ]

  /// A pattern and its permitted number of occurrences in each group.
  ///
  /// "Behind" in the sense of lagging and "no more than" are good English, so the first and the
  /// last count never reach 0.
  private static let limits: [(pattern: String, counts: [Int])] = [
    (#"\b[Bb]ehind\b"#, [141, 48, 26, 7, 0, 3]),
    (#"\b[Bb]eside\b"#, [2, 0, 0, 0, 0, 0]),
    (#"\b[Aa]new\b"#, [0, 0, 0, 0, 0, 0]),
    (
      #"\b(stands?|stood) (in|at|for|beside|behind|under|alone|by|where|twice|there|nowhere|on|before|above|too|with|as)\b"#,
      [0, 0, 0, 0, 0, 0]
    ),
    (#"\b[Ww]hoever\b"#, [0, 1, 0, 0, 0, 0]),
    (
      #"\b(comes?|came) to (nothing|be|it|on|the|an?|what|that|stand|lie|on)\b"#,
      [0, 0, 0, 0, 0, 0]
    ),
    (#"\b(goes|go|went|going) on\b"#, [0, 0, 0, 0, 0, 0]),
    (#"\bcounts? for nothing\b"#, [0, 0, 0, 0, 0, 0]),
    (#"\b(is|was|are) said\b|\b(says|say|said) so\b"#, [0, 0, 0, 0, 0, 0]),
    (#"\bof (its|their|his|her|your) own\b|\bone's own\b"#, [0, 2, 1, 0, 0, 0]),
    (#"\b(takes?|taken|took|taking) (\w+ ){0,2}(along|back)\b"#, [0, 0, 0, 0, 0, 0]),
    (#"\b[Mm]eanwhile\b"#, [0, 0, 0, 0, 0, 0]),
    (#"\b([Nn]o|[Ee]very|[Ss]ome|[Aa]ny)body\b"#, [1, 1, 0, 0, 0, 0]),
    (
      #"^\s*(///?|\*|#|--|""")\s*-?\s*(What|Who|That which) (?!if\b)[a-z]+"#,
      [0, 0, 0, 0, 0, 0]
    ),
    (#"\b(of|by|for|to|with|from|behind) what\b"#, [1, 0, 0, 0, 0, 0]),
    (#"\b(no|not|any) more\b"#, [0, 0, 5, 0, 0, 0]),
  ]

  private static let suffixes = [
    ".swift", ".md", ".json", ".js", ".ts", ".css", ".html", ".sql", ".py", ".c", ".h",
    ".tutorial", ".mjs", ".sh", ".yml", ".conf", ".service", ".env", ".toml",
  ]

  /// The texts of a group, by path. Names without a suffix are those of scripts.
  private static func texts(of paths: [String]) throws -> [(path: String, text: String)] {
    try paths.flatMap { try files(below: TidyTests.root.appending(path: $0)) }.compactMap { file in
      let name = file.lastPathComponent
      guard suffixes.contains(where: name.hasSuffix) || file.pathExtension.isEmpty,
        name != "WordingTests.swift"
      else { return nil }
      return (file.path, try String(contentsOf: file, encoding: .utf8))
    }
  }

  /// The files at or below a path, without build products.
  private static func files(below root: URL) throws -> [URL] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isDirectory),
      isDirectory.boolValue
    else { return [root] }
    let names = try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
    return try names.filter { ![".build", "__pycache__"].contains($0) }.flatMap {
      try files(below: root.appending(path: $0))
    }
  }

  static func count(_ pattern: String, in text: String) throws -> Int {
    let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    return expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
  }

  @Test(arguments: groups.indices) func countsOfDiscouragedPhrasesDoNotRise(group: Int) throws {
    let name = Self.groups[group].name
    let texts = try Self.texts(of: Self.groups[group].paths)
    #expect(!texts.isEmpty)
    for (pattern, limits) in Self.limits {
      let count = try texts.reduce(0) { try $0 + Self.count(pattern, in: $1.text) }
      #expect(count <= limits[group], "\(pattern) in \(name)")
      if count < limits[group] {
        print("\(pattern) occurs \(count) times in \(name); its limit is \(limits[group])")
      }
    }
  }

  @Test func thePatternsMatchAnExampleText() throws {
    let text = "  /// What is said of it.\n  // It goes on behind what nobody takes back, anew.\n"
    let counts = try Self.limits.map { try Self.count($0.pattern, in: text) }
    #expect(counts == [1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0])
  }
}
