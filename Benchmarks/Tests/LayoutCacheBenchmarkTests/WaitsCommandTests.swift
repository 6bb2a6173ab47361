import Foundation
import Testing

@testable import BenchmarkCommands

struct WaitsCommandTests {
  @Test func eachOperationIsMeasuredWithBothWriters() throws {
    let place = try Workplace()
    let run = try place.expect(
      0, "waits", "--items", "1000,2000", "--json", "--directory", place.folder.path)
    let sizes = try #require(try Self.object(run.output)["sizes"] as? [[String: Any]])
    #expect(sizes.map { $0["items"] as? Int } == [1000, 2000])
    for size in sizes {
      let rows = try #require(size["rows"] as? [[String: Any]])
      #expect(
        rows.map { "\($0["row"] ?? ""), \($0["writer"] ?? "")" }
          == WaitOperation.allCases.flatMap { operation in
            WriterLocation.allCases.map { "\(operation.rawValue), \($0.rawValue)" }
          })
      for row in rows {
        let median = try #require(row["median"] as? Double)
        let p99 = try #require(row["p99"] as? Double)
        let longest = try #require(row["longest"] as? Double)
        #expect(median > 0 && median <= p99 && p99 <= longest, "\(row)")
        #expect(try #require(row["work"] as? Double) > 0)
        // With so few items the target is not checked.
        #expect(row["met"] is NSNull)
      }
    }
    #expect(try place.leftovers().isEmpty)
  }

  @Test func waitsAreShownAsATable() throws {
    let place = try Workplace()
    let run = try place.expect(0, "waits", "--items", "1000")
    for phrase in ["1000 items, 100 operations behind", "rebalance", "another process", "SQLite"] {
      #expect(run.output.contains(phrase), "\(phrase)")
    }
  }

  @Test func catchingUpIsComparedWithLayingOut() throws {
    let place = try Workplace()
    let run = try place.expect(
      0, "catch-up", "--items", "1000", "--json", "--directory", place.folder.path)
    let sizes = try #require(try Self.object(run.output)["sizes"] as? [[String: Any]])
    let rows = try #require(sizes.first?["rows"] as? [[String: Any]])
    #expect(
      rows.map { $0["layout"] as? String }
        == CatchUpLayout.allCases.flatMap { [$0.rawValue, $0.rawValue, $0.rawValue] })
    #expect(rows.map { $0["operations"] as? Int } == [10, 30, 100, 10, 30, 100])
    // Up to 10,000 operations are replayed in both layouts.
    #expect(rows.map { $0["isReplayed"] as? Bool } == Array(repeating: true, count: 6))
    #expect(try place.leftovers().isEmpty)
    let table = try place.expect(0, "catch-up", "--items", "1000")
    #expect(table.output.contains("replayed"))
  }

  @Test(arguments: ["waits", "catch-up"])
  func invalidOptionIsAUsageError(_ command: String) throws {
    let place = try Workplace()
    for option in [["--items", "999"], ["--directory", ""]] {
      let run = try place.run([command] + option)
      #expect(run.exitCode == 64)
      #expect(run.errorOutput.contains(option[0]))
    }
  }

  /// The writer process behaves as the run expects.
  @Test func theWriterOfAMissingDatasetFails() throws {
    let place = try Workplace()
    let run = try place.run(["small-writer", "none.sqlite"])
    #expect(run.exitCode == 70)
    #expect(run.output.isEmpty)
    #expect(run.errorOutput.contains("small"))
  }

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }
}
