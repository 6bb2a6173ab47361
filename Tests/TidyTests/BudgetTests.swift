import Foundation
import Testing

/// The project's size. These figures only fall: a change lowers them to the new figures, and raises
/// one only for a feature whose issue states its allowance.
@Suite struct BudgetTests {
  private static let engine: Set = [
    "LayoutGeometry", "SumTree", "CollectionLayout", "JSONText", "Threads", "LayoutStore",
    "LayoutCache",
  ]

  /// The files below a folder or at a path, with one of the endings.
  private static func texts(_ places: [String], _ endings: [String]) throws -> [String] {
    try places.flatMap { place -> [String] in
      let base = TidyTests.root.appending(path: place)
      if place.contains(".") { return [try String(contentsOf: base, encoding: .utf8)] }
      return try FileManager.default.subpathsOfDirectory(atPath: base.path)
        .filter { path in endings.contains { path.hasSuffix($0) } && !path.contains("__pycache__") }
        .map { try String(contentsOf: base.appending(path: $0), encoding: .utf8) }
    }
  }

  private static func lines(_ places: [String], _ endings: [String]) throws -> Int {
    try texts(places, endings).reduce(0) { $0 + $1.utf8.count { $0 == UInt8(ascii: "\n") } }
  }

  private static var modules: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(
        atPath: TidyTests.root.appending(path: "Sources").path)
    }
  }

  @Test func linesStayWithinTheBudgets() throws {
    let (own, other) = try Self.modules.partitioned { Self.engine.contains($0) }
    #expect(Set(own) == Self.engine)
    let found = [
      "engine": try Self.lines(own.map { "Sources/\($0)" }, [".swift"]),
      "outer": try Self.lines(other.map { "Sources/\($0)" }, [".swift"]),
      "tests": try Self.lines(["Tests"], [".swift", ".py"]),
      "JavaScript": try Self.lines(["Sources"], [".js"]),
      "public declarations": try Self.lines(["docs/api.txt"], []),
    ]
    let budgets = [
      "engine": 56_915, "outer": 30_825, "tests": 73_879, "JavaScript": 5438,
      "public declarations": 1412,
    ]
    for (part, budget) in budgets.sorted(by: { $0.key < $1.key }) {
      let lines = found[part] ?? 0
      #expect(lines <= budget, "\(part) has \(lines) lines, the budget is \(budget)")
      // A budget far above the figure permits unplanned growth.
      #expect(lines > budget - budget / 50, "lower the budget of \(part) to \(lines)")
    }
  }

  @Test func documentationStaysWithinItsBudget() throws {
    let places = try FileManager.default.contentsOfDirectory(atPath: TidyTests.root.path)
      .filter { $0.hasSuffix(".md") }
    let words = try Self.texts(places + ["docs", "clients"], [".md"]).reduce(0) {
      $0 + $1.split { $0.isWhitespace }.count
    }
    let budget = 73_640
    #expect(words <= budget, "the documents have \(words) words, the budget is \(budget)")
  }
}

extension Sequence {
  fileprivate func partitioned(_ isFirst: (Element) -> Bool) -> ([Element], [Element]) {
    reduce(into: ([], [])) { isFirst($1) ? $0.0.append($1) : $0.1.append($1) }
  }
}
