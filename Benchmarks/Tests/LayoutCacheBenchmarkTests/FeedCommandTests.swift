import Foundation
import Testing

@testable import BenchmarkCommands

struct FeedCommandTests {
  private static let rows = [
    "visibleRect", "visibleRectScrolling", "visibleRectKept", "visibleRectRead", "visibleRectData",
    "firstQuery",
    "openAndFirstQuery", "firstResize", "insertFresh", "deleteFresh", "insertRandom",
    "deleteRandom", "resizeRandom", "resizeMiddle", "resizeMiddleFull", "prepend40",
    "deleteTop40", "moveRandom", "moveToSection", "moveBack", "resizeMany", "resizeManyCold",
    "resizeManyRebalancing", "importAndLayOut",
  ]

  @Test func everyRowIsMeasuredAndNoFileRemains() throws {
    let place = try Workplace()
    let run = try place.expect(
      0, "--items", "1000", "--items", "1500,2000", "--edits", "50", "--json",
      "--directory", place.folder.path)
    let report = try Self.object(run.output)
    let sizes = try #require(report["sizes"] as? [[String: Any]])
    #expect(sizes.map { $0["items"] as? Int } == [1000, 1500, 2000])
    for size in sizes {
      let rows = try #require(size["rows"] as? [[String: Any]])
      #expect(rows.map { $0["row"] as? String } == Self.rows)
      for row in rows {
        try Self.checkFigures(row)
        for baseline in try #require(row["baselines"] as? [[String: Any]]) {
          try Self.checkFigures(baseline)
        }
      }
      let file = try #require(size["file"] as? [String: Any])
      // A file of a thousand items mostly has partly filled pages.
      #expect(try #require(file["bytesPerItem"] as? Double) > 20)
      #expect(try #require(file["layoutBytesPerItem"] as? Double) > 0)
    }
    let growth = try #require(report["growth"] as? [[String: Any]])
    #expect(growth.contains { $0["row"] as? String == "visibleRect" })
    #expect(try place.leftovers().isEmpty)
  }

  @Test func eachTargetNamesItsBaseline() throws {
    let place = try Workplace()
    let run = try place.expect(0, "--items", "1000", "--edits", "5", "--json")
    let sizes = try #require(try Self.object(run.output)["sizes"] as? [[String: Any]])
    var first: [String: String] = [:]
    for row in try #require(sizes.first?["rows"] as? [[String: Any]])
    where row["target"] is [String: Any] {
      let baselines = try #require(row["baselines"] as? [[String: Any]])
      first[try #require(row["row"] as? String)] = baselines.first?["baseline"] as? String
    }
    #expect(
      first == [
        "visibleRect": "attributeArrays", "visibleRectScrolling": "attributeArrays",
        "visibleRectKept": "attributeArrays", "openAndFirstQuery": "handWrittenSQL",
        "insertFresh": "bareCommit", "deleteFresh": "bareCommit", "insertRandom": "bareCommit",
        "deleteRandom": "bareCommit", "resizeRandom": "bareCommit", "resizeMiddle": "bareCommit",
        "resizeMiddleFull": "bareCommitFull", "prepend40": "bareCommit",
        "moveRandom": "bareCommit", "resizeMany": "bareCommit",
        "resizeManyRebalancing": "withoutRebalancing", "importAndLayOut": "handWrittenSQL",
      ])
  }

  @Test func tableShowsEachOperationWithItsBaselines() throws {
    let place = try Workplace()
    let run = try place.expect(0, "--items", "1000", "--edits", "5")
    for phrase in [
      "1000 items", "visible rect at a random position", "arrays, same answer", "SQL by hand",
      "bare commit, FULL", "bytes per item", "SQLite",
    ] {
      #expect(run.output.contains(phrase), "\(phrase)")
    }
  }

  @Test func kindsAreComparedWithLayingOutFromScratch() throws {
    let place = try Workplace()
    let run = try place.expect(
      0, "--kinds", "--items", "1000,2000", "--json", "--directory", place.folder.path)
    let sizes = try #require(try Self.object(run.output)["sizes"] as? [[String: Any]])
    #expect(sizes.map { $0["items"] as? Int } == [1000, 2000])
    for size in sizes {
      let rows = try #require(size["rows"] as? [[String: Any]])
      #expect(rows.count == 16)
      for row in rows {
        try Self.checkFigures(row)
        let isJudged = row["row"] as? String == "insertStart" && row["layout"] as? String != "grid"
        #expect((row["met"] is Bool) == isJudged)
      }
      #expect(Set(rows.compactMap { $0["layout"] as? String }).count == 4)
    }
    let table = try place.expect(0, "--kinds", "--items", "1000")
    #expect(table.output.contains("flow, items of one width"))
    #expect(table.output.contains("SQLite"))
    #expect(try place.leftovers().isEmpty)
  }

  @Test(
    arguments: [
      ["--items", "999"], ["--items", "1000,"], ["--items", "many"], ["--edits", "0"],
      ["--directory", ""],
    ])
  func invalidOptionIsAUsageError(_ arguments: [String]) throws {
    let place = try Workplace()
    let run = try place.run(arguments)
    #expect(run.exitCode == 64)
    #expect(run.errorOutput.contains(arguments[0]))
  }

  @Test func missingDirectoryIsNamed() throws {
    let place = try Workplace()
    try place.expect(
      74, "--items", "1000", "--directory", "nowhere", saying: ["nowhere"])
  }

  @Test func interruptedRunRemovesItsFiles() throws {
    let place = try Workplace()
    // The shell interrupts the run half a second after its folder exists.
    let run = try place.shell(
      """
      "$BENCHMARK" --items 1000000 --directory . & pid=$!
      while [ -z "$(ls -d layoutcache-bench-* 2>/dev/null)" ]; do sleep 0.1; done
      sleep 0.5; kill -TERM $pid; wait $pid; echo "ended with $?"
      """)
    #expect(run.output == "ended with 143\n")
    #expect(try place.leftovers().isEmpty)
  }

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Checks that figures exist, and that the percentiles are in order.
  private static func checkFigures(_ figures: [String: Any]) throws {
    let samples = try #require(figures["samples"] as? Int)
    let median = try #require(figures["median"] as? Double)
    let p99 = try #require(figures["p99"] as? Double)
    let mean = try #require(figures["mean"] as? Double)
    #expect(samples >= 1 && median >= 0 && p99 >= median && mean >= 0, "\(figures)")
  }
}
