import Foundation
import Testing

// Frames counted by hand, in the layout of `Workplace.withFeed()`. Its section "one"
// holds a, 25 to 75 in column 0, and b, 25 to 225 in column 1; section "two" holds c,
// 255 to 307.5 in both columns.

struct UpdateCommandTests {
  @Test func updatePrintsTheRecomputedPartsOfEachLayout() throws {
    let place = try Workplace.withPreparedFeed()
    try place.write(#"{"op":"resize","key":"c","width":4,"height":2}"#, to: "batch.ndjson")
    let run = try place.expect(
      0, "update", "batch.ndjson", "--dataset", "feed", "--json")
    // The number of changed nodes depends on their storage, and whether the background's edges
    // count for the interval is unspecified; the rest is specified.
    let shape = try Regex(
      #"\{"dataset":"feed","revision":2,"#
        + #""updates":\{"sections":\[\],"items":\[\{"op":"reload","key":"c","after":\[1,0\]\}\]\},"#
        + #""layouts":\[\{"layout":"phone","everything":false,"#
        + #""recomputedItems":1,"recomputedColumns":2,"changedNodes":[1-9][0-9]*,"#
        + #""contentSizeAdjustment":\{"width":0,"height":52\.5\},"#
        + #""contentOffsetAdjustment":\{"x":0,"y":0\},"#
        + #""sections":\[\{"section":1,"items":\[\[0,0\]\],"columns":\[0,1\],"#
        + #""interval":\[2[35][05],36[05]\]\}\]\}\]\}\n"#)
    #expect(try shape.wholeMatch(in: run.output) != nil, "\(run.output)")
  }

  /// As a body of `application/json` over HTTP.
  @Test(arguments: [
    #"[{"op":"delete","keys":["a"]},{"op":"delete","keys":["b"]}]"#,
    "\n [\n{\"op\":\"delete\",\n\"keys\":[\"a\"]},\n {\"op\":\"delete\",\"keys\":[\"b\"]}\n]\n",
  ])
  func updateTakesAnArrayOfOperations(text: String) throws {
    let place = try Workplace.withFeed()
    try place.write(text, to: "batch.json")
    try place.expect(0, "update", "batch.json", "--dataset", "feed")
    #expect(try place.run(["datasets", "--json"]).output.contains(#""items":1,"#))
    let again = try place.expect(
      66, "update", "batch.json", "--dataset", "feed", saying: ["item 'a'", "nothing was changed"])
    let line = text.split(separator: "\n", omittingEmptySubsequences: false)
      .firstIndex { $0.contains("op") }
    #expect(again.errorOutput.contains("line \((line ?? 0) + 1)"), "\(again.errorOutput)")
  }

  @Test func anIncompleteArrayChangesNothing() throws {
    let place = try Workplace.withFeed()
    for (text, phrase) in [
      (#"[{"op":"delete","keys":["a"]}"#, "nothing was changed"), ("[]", "it needs an operation"),
      (#"[{"op":"delete","keys":["a"]}] {}"#, "nothing was changed"),
    ] {
      let run = try place.run(["update", "-", "--dataset", "feed"], input: text)
      #expect(run.exitCode == 65 && run.errorOutput.contains(phrase), "\(run.errorOutput)")
    }
    #expect(try place.run(["datasets", "--json"]).output.contains(#""revision":1"#))
  }

  @Test func updatePrintsSectionAndItemChanges() throws {
    let place = try Workplace.withFeed()
    let run = try place.run(
      ["update", "-", "--dataset", "feed", "--json"],
      input: """
        {"op":"insertSection","key":"zero","index":0}
        {"op":"move","key":"a","section":"two","index":0}
        {"op":"delete","keys":["c"]}
        {"op":"resize","key":"b","width":1,"height":2}
        {"op":"moveSection","key":"two","index":0}
        """)
    let updates =
      #""updates":{"sections":[{"op":"move","key":"two","before":1,"after":0},"#
      + #"{"op":"insert","key":"zero","after":1}],"#
      + #""items":[{"op":"delete","key":"c","before":[1,0]},"#
      + #"{"op":"move","key":"a","before":[0,0],"after":[0,0]},"#
      + #"{"op":"reload","key":"b","after":[2,0]}]}"#
    #expect(run.output.contains(updates), "\(run.output)\(run.errorOutput)")
  }

  @Test func markIsListedAndItsBatchIsNotAppliedAgain() throws {
    let place = try Workplace.withFeed()
    let batch = """
      {"op":"delete","keys":["a"]}
      {"op":"mark","source":"orders","position":"0/16B3748"}
      """
    func update(_ arguments: String...) throws -> Invocation {
      try place.run(["update", "-", "--dataset", "feed"] + arguments, input: batch)
    }
    #expect(
      try update("--json").output.contains(#""revision":2,"updates":{"sections":[],"items":["#))
    let again = try update("--json", "--expect", "7")
    #expect(
      again.output == #"{"dataset":"feed","revision":2,"repeated":true,"layouts":[]}"# + "\n")
    #expect(
      try update().output
        == "batch already applied at revision 2 of dataset 'feed'; nothing changed\n")
    let datasets = try place.expect(0, "datasets", "--json")
    #expect(
      datasets.output.contains(
        #""marks":[{"source":"orders","position":"0/16B3748","revision":2}]"#))
  }

  @Test func updatePrintsATable() throws {
    let place = try Workplace.withPreparedFeed()
    let run = try place.run(
      ["update", "-", "--dataset", "feed"],
      input: #"{"op":"resize","key":"c","width":4,"height":2}"#)
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == 3, "\(run.output)\(run.errorOutput)")
    #expect(lines[0] == "dataset 'feed' is at revision 2")
    #expect(lines[1].hasPrefix("layout  recomputed items  recomputed columns  changed nodes"))
    let cells = lines[2].split(separator: " ")
    #expect(cells.prefix(3) == ["phone", "1", "2"])
    #expect(lines[2].contains("  0 x +52.5  "))
    #expect(lines[2].hasSuffix("  0, 0  1 section"))
  }

  @Test(arguments: ["-", "batch.ndjson"])
  func eachOperationSeesEarlierOnes(source: String) throws {
    let place = try Workplace.withPreparedFeed()
    let batch = """
      {"op":"insertSection","key":"zero","index":0}

      {"op":"insert","items":[{"key":"x","width":100,"height":10},{"key":"y","width":1,"height":1,"span":0}],"section":"zero"}
      {"op":"move","key":"y","before":"x"}
      {"op":"insert","items":[{"key":"z","width":2,"height":3}],"section":"zero","index":1}
      {"op":"delete","keys":["b","x"]}
      {"op":"resize","key":"a","width":5,"height":6.5,"span":2}
      {"op":"insert","items":[{"key":"b","width":7,"height":8}],"after":"a"}
      {"op":"deleteSection","key":"two"}
      {"op":"moveSection","key":"zero","index":1}

      """
    try place.write(batch, to: "batch.ndjson")
    let run = try place.run(
      ["update", source, "--dataset", "feed", "--json"], input: source == "-" ? batch : "")
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    let items = try place.expect(0, "export", "--dataset", "feed")
    #expect(
      items.output == """
        key,width,height,section,span
        a,5,6.5,one,2
        b,7,8,one,1
        y,1,1,zero,0
        z,2,3,zero,1

        """)
    try place.expect(0, "verify")
  }

  @Test func preferredLengthBelongsToOneLayoutUntilReset() throws {
    let place = try Workplace.withPreparedFeed()
    for (length, height) in [("60.5", "60.5"), ("null", "50")] {
      let run = try place.run(
        ["update", "-", "--dataset", "feed"],
        input: #"{"op":"prefer","layout":"phone","key":"a","length":\#(length)}"#)
      #expect(run.exitCode == 0, "\(run.errorOutput)")
      let item = try place.expect(
        0, "item", "a", "--dataset", "feed", "--layout", "phone", "--json")
      #expect(item.output.contains(#""width":100,"height":\#(height)}"#), "\(item.output)")
    }
    try place.expect(0, "verify")
  }

  @Test func visibleRectangleGetsItsOffsetAdjustment() throws {
    let grown = #"{"op":"resize","key":"b","width":100,"height":300}"#
    // The cell below moves by 100; from 250 the end of the content is only 62.5 away.
    for (arguments, y) in [
      (["--visible", "0,250,220,100"], "62.5"), (["--visible", "0,250,220,10"], "100"), ([], "0"),
    ] {
      let place = try Workplace.withPreparedFeed()
      let run = try place.run(
        ["update", "-", "--dataset", "feed", "--json"] + arguments, input: grown)
      #expect(
        run.output.contains(
          #""contentSizeAdjustment":{"width":0,"height":100},"contentOffsetAdjustment":{"x":0,"y":\#(y)}"#
        ), "\(run.output)\(run.errorOutput)")
    }
  }

  @Test func lazyUpdateLeavesTheLayoutsToTheirNextQuery() throws {
    let place = try Workplace.withPreparedFeed()
    let batch = #"{"op":"resize","key":"b","width":100,"height":300}"#
    let machines = try place.run(
      ["update", "-", "--dataset", "feed", "--lazy", "--json"], input: batch)
    let updates = #""updates":{"sections":[],"items":[{"op":"reload","key":"b","after":[0,1]}]}"#
    #expect(
      machines.output == #"{"dataset":"feed","revision":2,\#(updates),"layouts":[]}"# + "\n")
    let people = try place.run(["update", "-", "--dataset", "feed", "--lazy"], input: batch)
    // The size is the current one.
    #expect(people.output.contains("at revision 2\nno layout was brought up to date"))
    let item = try place.expect(
      0, "item", "c", "--dataset", "feed", "--layout", "phone", "--json")
    #expect(item.output.contains(#""frame":{"x":5,"y":355,"width":210,"height":52.5}"#))
    let prepared = try place.expect(0, "prepare", "--dataset", "feed")
    #expect(prepared.output.contains("up to date"))
    try place.expect(0, "verify")
  }

  @Test func laggingLayoutStaysBehind() throws {
    let place = try Workplace.withFeed()
    let run = try place.run(
      ["update", "-", "--dataset", "feed", "--json"], input: #"{"op":"delete","keys":["a"]}"#)
    let updates = #""updates":{"sections":[],"items":[{"op":"delete","key":"a","before":[0,0]}]}"#
    #expect(run.output == #"{"dataset":"feed","revision":2,\#(updates),"layouts":[]}"# + "\n")
  }
}

extension Workplace {
  /// As ``withFeed()``, with the layout up to date.
  static func withPreparedFeed() throws -> Workplace {
    let place = try Workplace.withFeed()
    try place.expect(0, "prepare", "--dataset", "feed")
    return place
  }
}
