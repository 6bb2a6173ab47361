import Foundation
import Testing

/// Scroll positions of carousels on the command line.
struct CarouselCommandTests {
  /// Three items of 60 x 30 in a carousel of 100 points, with a key that contains "=".
  private func place() throws -> Workplace {
    let place = try Workplace()
    try place.write(
      "key,width,height,section\na,60,30,x=1\nb,60,30,x=1\nc,60,30,x=1\n", to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "feed")
    try place.expect(
      0, "layout", "set", "strip", "--dataset", "feed", "--kind", "carousel", "--width", "100",
      "--spacing", "10", "--scrolling", "groupPaging")
    return place
  }

  private func cells(_ run: Invocation) throws -> [String] {
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    let members = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    return (members["elements"] as? [[String: Any]] ?? []).map { element in
      "\(element["key"] ?? "") \((element["frame"] as? [String: Double])?["x"] ?? -1)"
    }
  }

  @Test func queriesMoveCellsByTheOffset() throws {
    let place = try place()
    let query = ["query", "--rect", "0,0,100,30", "--json"]
    #expect(try cells(place.run(query)) == ["a 0.0", "b 70.0"])
    #expect(
      try cells(place.run(query + ["--offset", "x=1=50"])) == ["a -50.0", "b 20.0", "c 90.0"])
    for beyond in ["100", "101", "1e300"] {
      #expect(
        try cells(place.run(query + ["--offset", "x=1=\(beyond)"])) == ["b -30.0", "c 40.0"])
    }
    #expect(
      try cells(place.run(query + ["--offset", "x=1=-9", "--offset", "gone=4"]))
        == ["a 0.0", "b 70.0"])
  }

  /// As over HTTP, a client's scroll positions may outlive a section; a person sees the mistake.
  @Test func offsetsOfUnknownSectionsAreIgnoredWithAWarning() throws {
    let place = try place()
    let warning = "layoutcache: warning: no section 'x=2' in dataset 'feed'; its offset is ignored"
    for command in [
      ["query", "--rect", "0,0,100,30"], ["item", "a"], ["hit-test", "5,5"],
      ["sections", "--layout", "strip"], ["render", "--rect", "0,0,100,30", "-o", "a.svg"],
    ] {
      let known = try place.run(command + ["--offset", "x=1=5"])
      #expect(known.exitCode == 0 && known.errorOutput.isEmpty, "\(known.errorOutput)")
      let run = try place.run(command + ["--offset", "x=2=5", "--json"])
      #expect(run.exitCode == 0)
      #expect(run.errorLines == ["\(warning); did you mean 'x=1'?"], "\(run.errorOutput)")
    }
  }

  @Test func tokensKeepTheOffsets() throws {
    let place = try place()
    let first = try place.run([
      "query", "--rect", "0,0,100,30", "--offset", "x=1=50", "--limit", "1", "--json",
    ])
    let members = try JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [String: Any]
    let token = try #require(members?["next"] as? String)
    let after = ["query", "--after", token, "--limit", "9", "--json"]
    #expect(try cells(place.run(after)) == ["b 20.0", "c 90.0"])
    #expect(try cells(place.run(after + ["--offset", "x=1=50"])) == ["b 20.0", "c 90.0"])
    let other = try place.run(after + ["--offset", "x=1=51"])
    #expect(other.exitCode == 64 && other.errorOutput.contains("--offset"))
  }

  @Test func sectionsItemsAndHitTestsKnowTheOffset() throws {
    let place = try place()
    let carousel = #""carousel":{"contentLength":200,"offset":50.5,"maximumOffset":100}"#
    let offset = ["--offset", "x=1=50.5"]
    let sections = try place.run(["sections", "--layout", "strip", "--json"] + offset)
    #expect(sections.output.contains(carousel))
    let item = try place.run(["item", "c", "--json"] + offset)
    #expect(item.output.contains(carousel) && item.output.contains(#""x":89.5"#))
    let hit = try place.run(["hit-test", "95,10", "--json"] + offset)
    #expect(hit.output.contains(#""key":"c""#))
    try place.expect(64, "sections", "--offset", "x=1=5", saying: ["--offset needs --layout"])
  }

  @Test func invalidOffsetsAreReported() throws {
    let place = try place()
    for text in ["x", "=5", "x=", "x=nan", "x=1,5"] {
      try place.expect(
        64, "query", "--rect", "0,0,1,1", "--offset", text, saying: ["--offset"])
    }
    try place.expect(
      64, "query", "--rect", "0,0,1,1", "--offset", "x=1", "--offset", "x=2",
      saying: ["section 'x' occurs twice"])
    try place.expect(
      64, "query", "--since", "1", "--offset", "x=1",
      saying: ["--since cannot be combined with --offset"])
    let many = (0..<257).flatMap { ["--offset", "s\($0)=1"] }
    let run = try place.run(["query", "--rect", "0,0,1,1"] + many)
    #expect(run.exitCode == 65, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("number of offsets is 257; the limit is 256"))
  }
}
