import Foundation
import Testing

@testable import BenchmarkCommands

struct DocumentCommandTests {
  private static let names = ["sql", "queries", "edits", "rebalancing", "growth", "files"]

  /// The page of this checkout.
  private static var page: String {
    get throws {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      return try String(
        contentsOf: root.appendingPathComponent(MeasuredParts.document), encoding: .utf8)
    }
  }

  @Test func thePageHasEveryPart() throws {
    var text = MarkedText(try Self.page)
    for name in Self.names { try text.replace(name, with: "figures of \(name)\n") }
    for name in Self.names {
      let part = "<!-- measured: \(name) -->\n\nfigures of \(name)\n\n<!-- end -->"
      #expect(text.text.contains(part))
    }
    #expect(text.text.hasPrefix("# Benchmarks\n"))
  }

  @Test func missingAndDuplicatePartsAreFailures() throws {
    for page in [
      "", "<!-- measured: a -->\nwithout an end\n",
      "<!-- measured: a -->\n<!-- end -->\n<!-- measured: a -->\n<!-- end -->\n",
    ] {
      var text = MarkedText(page)
      #expect(throws: Failure.self) { try text.replace("a", with: "b\n") }
    }
  }

  @Test func figuresOfARunReplaceThoseOfThePage() throws {
    let place = try Workplace()
    let results = try place.expect(
      0, "feed", "--items", "1000,2000", "--edits", "20", "--json"
    ).output
    let page = Self.names.map { "Prose on \($0).\n<!-- measured: \($0) -->\nold\n<!-- end -->\n" }
    let (pagePath, resultsPath) = (
      place.folder.path(of: "page.md"), place.folder.path(of: "results.json")
    )
    try Data(page.joined().utf8).write(to: URL(fileURLWithPath: pagePath))
    try Data(results.utf8).write(to: URL(fileURLWithPath: resultsPath))
    try place.expect(0, "document", "--results", resultsPath, "--document", pagePath)
    let text = try String(contentsOfFile: pagePath, encoding: .utf8)
    #expect(!text.contains("old\n"))
    let figures = try FeedResults(json: results, from: "the run")
    let resize = try #require(figures.row(.resizeRandom, items: 2000))
    for phrase in Self.names.map({ "Prose on \($0)." }) + [
      "SQLite \(try #require(figures.sqlite))", "| resize at a random position |",
      microseconds(resize.median), "| from 1,000 to 2,000 items |",
    ] {
      #expect(text.contains(phrase), "\(phrase)")
    }
    // Writing the same figures again changes nothing.
    try place.expect(0, "document", "--results", resultsPath, "--document", pagePath)
    #expect(try String(contentsOfFile: pagePath, encoding: .utf8) == text)
  }
}
