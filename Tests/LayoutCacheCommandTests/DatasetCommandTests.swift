import Testing

/// Creating, renaming and deleting datasets and layouts on the command line.
@Suite struct DatasetCommandTests {
  private static let items = """
    {"key":"a","width":1,"height":1,"section":"s"}
    {"key":"b","width":1,"height":2,"section":"s"}
    """

  private func workplace() throws -> Workplace {
    let place = try Workplace()
    try place.write(Self.items, to: "items.ndjson")
    #expect(try place.run(["import", "items.ndjson", "--dataset", "feed"]).exitCode == 0)
    let set = try place.run([
      "layout", "set", "phone", "--dataset", "feed", "--kind", "waterfall", "--width", "10",
    ])
    #expect(set.exitCode == 0)
    return place
  }

  @Test func datasetIsCreatedRenamedAndRemoved() throws {
    let place = try Workplace()
    let made = try place.run(["dataset", "create", "feed", "--json"])
    #expect(made.output == #"{"dataset":"feed","revision":1}"# + "\n")
    let again = try place.run(["dataset", "create", "feed"])
    #expect(again.exitCode == 64)
    #expect(again.errorLines.count == 1)
    #expect(
      again.errorLines[0].contains(
        "already exists; choose another name; an import"))
    #expect(
      try place.run(["dataset", "rename", "feed", "news"]).output
        == "renamed dataset 'feed' to 'news'\n")
    #expect(try place.run(["dataset", "rename", "feed", "x"]).exitCode == 66)
    #expect(
      try place.run(["dataset", "remove", "news", "--json"]).output
        == #"{"dataset":"news"}"# + "\n")
    #expect(try place.run(["dataset", "remove", "news"]).exitCode == 66)
    #expect(try place.run(["datasets"]).output == "no datasets\n")
    #expect(try place.run(["dataset", "create", ""]).exitCode == 64)
  }

  @Test func layoutIsRenamed() throws {
    let place = try workplace()
    let renamed = try place.run(["layout", "rename", "phone", "tablet", "--dataset", "feed"])
    #expect(renamed.output == "renamed layout 'phone' of dataset 'feed' to 'tablet'\n")
    #expect(
      try place.run(["layout", "rename", "phone", "x", "--dataset", "feed"]).exitCode == 66)
    #expect(try place.run(["layout", "show", "tablet", "--dataset", "feed"]).exitCode == 0)
  }

  @Test func sectionsAreListedInPages() throws {
    let place = try Workplace()
    try place.write(
      (0..<7).map { #"{"key":"\#($0)","width":1,"height":1,"section":"s\#($0)"}"# }
        .joined(separator: "\n"), to: "items.ndjson")
    try place.expect(0, "import", "items.ndjson", "--dataset", "feed")
    try place.expect(0, "layout", "set", "phone", "--width", "10")
    for options in [[], ["--layout", "phone"]] {
      var (found, after): ([String], [String]) = ([], [])
      for _ in 0..<3 {
        let page = try place.run(["sections", "--limit", "3", "--json"] + options + after)
        found += page.output.matches(of: /"sectionKey":"(\w+)"/).map { String($0.output.1) }
        guard let next = page.output.firstMatch(of: /"next":"(\w+)"/)?.output.1 else { break }
        after = ["--after", String(next)]
      }
      #expect(found == (0..<7).map { "s\($0)" })
      #expect(after == ["--after", "s5"])
    }
    try place.expect(66, "sections", "--after", "s77", saying: ["no section 's77'", "s7"])
    try place.expect(64, "sections", "--limit", "0", saying: ["--limit must be at least 1"])
  }

  @Test func answersNameTheirHistory() throws {
    let place = try workplace()
    func query() throws -> Substring? {
      let answer = try place.run([
        "query", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,10,10", "--json",
      ])
      return answer.outputAsIs.firstMatch(of: /"incarnation":"([0-9a-f]+-[0-9a-f]+)"/)?.output.1
    }
    let before = try #require(try query())
    #expect(try query() == before)
    try place.write(#"{"op":"delete","keys":["a"]}"#, to: "batch.ndjson")
    let commit = try place.run(["update", "batch.ndjson", "--dataset", "feed", "--json"])
    let names = commit.outputAsIs.matches(of: /"incarnation":"([0-9a-f]+)"/).map(\.output.1)
    #expect(names.joined(separator: "-") == before)
    #expect(try place.run(["layout", "remove", "phone", "--dataset", "feed"]).exitCode == 0)
    let set = try place.run([
      "layout", "set", "phone", "--dataset", "feed", "--kind", "waterfall", "--width", "10",
    ])
    #expect(set.exitCode == 0)
    #expect(try query() != before)
  }

  @Test func layoutThatFailsToUpdateIsNamed() throws {
    let place = try workplace()
    let wide = try place.run([
      "layout", "set", "wide", "--dataset", "feed", "--kind", "waterfall", "--width", "1000000",
      "--columns", "1",
    ])
    #expect(wide.exitCode == 0)
    for layout in ["phone", "wide"] {
      #expect(
        try place.run(["prepare", "--dataset", "feed", "--layout", layout]).exitCode == 0)
    }
    let items = (0..<20).map { #"{"key":"k\#($0)","width":0.015625,"height":1000000}"# }
    try place.write(
      #"{"op":"insert","section":"s","items":[\#(items.joined(separator: ","))]}"#,
      to: "batch.ndjson")
    let commit = try place.run(["update", "batch.ndjson", "--dataset", "feed", "--json"])
    #expect(commit.exitCode == 0)
    #expect(commit.output.contains(#""behind":[{"layout":"wide","code":"cannotLayOut","reason":"#))
    let query = ["query", "--dataset", "feed", "--layout", "wide", "--rect", "0,0,1,1"]
    #expect(try place.run(query).exitCode == 65)
    #expect(try place.run(["verify"]).exitCode == 0)
  }

  @Test func compactPrintsTheReclaimedSpace() throws {
    let place = try workplace()
    #expect(try place.run(["compact"]).output.hasPrefix("returned "))
    #expect(try place.run(["compact", "--json"]).output == #"{"bytes":0}"# + "\n")
  }

  @Test func theLogNamesTheMarksOfBatches() throws {
    let place = try Workplace.withFeed()
    let lines = """
      {"op":"mark","source":"orders","position":"0/16B3748"}
      {"op":"delete","keys":["a"]}

      """
    #expect(try place.run(["update", "-"], input: lines).exitCode == 0)
    try place.expect(0, "invalidate")
    let json = try place.expect(0, "log", "--json").output
    let mark = #""mark":{"source":"orders","position":"0/16B3748","revision":2}"#
    #expect(json.ranges(of: "\"mark\"").count == 1)
    #expect(json.contains(mark), "\(json)")
    #expect(try place.expect(0, "log").output.contains("orders 0/16B3748"))
  }
}
