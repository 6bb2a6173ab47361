import Testing

/// `query --since`, in the layout of `Workplace.withFeed()`.
struct ChangesCommandTests {
  /// Creates three commits after the stored trees: each run of the program makes a checkpoint.
  private func place() throws -> Workplace {
    let place = try Workplace.withPreparedFeed()
    for batch in [
      #"{"op":"insert","items":[{"key":"x","width":100,"height":10}],"section":"one"}"#,
      #"{"op":"move","key":"x","before":"a"}"#, #"{"op":"delete","keys":["c"]}"#,
    ] {
      let run = try place.run(["update", "-", "--dataset", "feed"], input: batch)
      try #require(run.exitCode == 0, "\(run.errorOutput)")
    }
    return place
  }

  private let names = ["--dataset", "feed", "--layout", "phone"]

  @Test func changesArePrintedAsJSON() throws {
    let place = try place()
    let run = try place.run(["query", "--since", "1", "--json"] + names)
    #expect(
      run.output.hasPrefix(
        #"{"dataset":"feed","revision":4,"since":1,"updates":{"sections":[],"items":["#
          + #"{"op":"delete","key":"c","before":[1,0]},{"op":"insert","key":"x","after":[0,0]}]},"#
          + #""layouts":[{"layout":"phone","everything":false,"#), "\(run.output)\(run.errorOutput)"
    )
    #expect(run.exitCode == 0)
    #expect(run.outputAsIs.contains(#""since":1,"incarnation":"#))
    let none = try place.run(["query", "--since", "4", "--json", "--rect", "0,0,9,9"] + names)
    #expect(
      none.output.hasPrefix(
        #"{"dataset":"feed","revision":4,"since":4,"updates":{"sections":[],"items":[]},"#
          + #""layouts":[{"layout":"phone","everything":false,"#), "\(none.output)")
  }

  @Test func changesArePrintedAsATable() throws {
    let place = try place()
    let run = try place.run(["query", "--since", "1"] + names)
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == 6, "\(run.output)\(run.errorOutput)")
    #expect(lines[0] == "dataset 'feed' is at revision 4, 3 revisions after 1")
    #expect(lines[1] == "item    key  before  after")
    #expect(lines[2] == "delete  c    1, 0")
    #expect(lines[3] == "insert  x            0, 0")
    #expect(lines[5].hasSuffix("2 sections"))
    let before = try place.run(["query", "--since", "0"] + names)
    #expect(before.exitCode == 0)
    #expect(before.output.contains("query everything"), "\(before.output)")
  }

  @Test func futureRevisionIsBadInput() throws {
    let place = try place()
    try place.expect(
      65, "query", "--since", "5", "--dataset", "feed", "--layout", "phone",
      saying: ["dataset 'feed' is at revision 4; it has no revision 5 yet"])
  }

  @Test func sinceCannotBeCombinedWithOtherQueryOptions() throws {
    let place = try place()
    for option in [["--limit", "3"], ["--explain"], ["--visible", "0,0,9,9"]] {
      let run = try place.run(["query", "--since", "1"] + names + option)
      #expect(run.exitCode == 64, "\(option)")
    }
    #expect(try place.run(["query"] + names).exitCode == 64)
    #expect(try place.run(["query", "--since", "-1"] + names).exitCode == 64)
  }
}
