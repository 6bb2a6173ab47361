import Foundation
import Testing

@testable import LayoutCacheCommand

/// Preferred lengths in `export` and `inspect`.
@Suite struct MeasuredCommandTests {
  private static let lines = """
    {"op":"prefer","layout":"phone","header":"one","length":31.5}
    {"op":"prefer","layout":"phone","key":"a","length":77}

    """

  @Test func exportedPreferredLengthsCanBeApplied() throws {
    let place = try Workplace.withFeed()
    #expect(try place.expect(0, "export", "--preferred-lengths").output.isEmpty)
    try place.write(Self.lines, to: "measured.ndjson")
    try place.expect(0, "update", "measured.ndjson")
    #expect(try place.expect(0, "export", "--preferred-lengths").output == Self.lines)
    let again = try place.expect(0, "update", "measured.ndjson", "--json")
    #expect(again.output.contains(#""revision":2"#))
    try place.expect(
      64, "export", "--preferred-lengths", "--format", "csv", saying: ["--preferred-lengths"])
    try place.expect(64, "export", "--preferred-lengths", "--data", saying: ["--preferred-lengths"])
  }

  @Test func inspectCountsPreferredLengths() throws {
    let place = try Workplace.withFeed()
    func counts(_ arguments: String...) throws -> String {
      let output = try place.run(["inspect"] + arguments).output
      return String(output.firstMatch(of: /"measured":(\{[^}]*\})/)?.1 ?? "none")
    }
    #expect(try counts("--dataset", "feed", "--json") == #"{"items":0,"headers":0,"footers":0}"#)
    try place.write(Self.lines, to: "measured.ndjson")
    try place.expect(0, "update", "measured.ndjson")
    #expect(try counts("--dataset", "feed", "--json") == #"{"items":1,"headers":1,"footers":0}"#)
    // Counting reads all items, so it is omitted unless a dataset is named.
    #expect(try counts("--json") == "none")
    let table = try place.expect(0, "inspect", "--dataset", "feed").output
    #expect(table.contains("1 item, 1 header"), "\(table)")
  }
}
