import Testing

/// `undo`, in the layout of `Workplace.withFeed()`.
struct UndoCommandTests {
  /// Returns the elements without the line that follows them, whose revision differs each time.
  private func elements(_ place: Workplace) throws -> [Substring] {
    let run = try place.run([
      "query", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,220,900",
    ])
    return run.output.split(separator: "\n").dropLast()
  }

  /// Each run is a separate process, which makes a checkpoint when it ends.
  @Test func latestChangeIsUndoneAndRedone() throws {
    let place = try Workplace.withPreparedFeed()
    let before = try elements(place)
    let update = try place.run(
      ["update", "-", "--dataset", "feed"],
      input: """
        {"op":"insert","items":[{"key":"x","width":100,"height":10}],"section":"one","index":0}
        {"op":"delete","keys":["c"]}
        """)
    try #require(update.exitCode == 0, "\(update.errorOutput)")
    let after = try elements(place)
    #expect(before != after)
    for expected in [before, after, before] {
      let undo = try place.run(["undo", "--dataset", "feed"])
      #expect(undo.exitCode == 0 && undo.errorOutput.isEmpty, "\(undo.errorOutput)")
      #expect(undo.output.contains("phone"), "\(undo.output)")
      #expect(try elements(place) == expected)
    }
    try place.expect(0, "verify")
  }

  @Test func undoPrintsTheJSONOfUpdate() throws {
    let place = try Workplace.withPreparedFeed()
    let update = try place.run(
      ["update", "-", "--dataset", "feed"], input: #"{"op":"delete","keys":["a"]}"#)
    try #require(update.exitCode == 0, "\(update.errorOutput)")
    try place.expect(
      1, "undo", "--dataset", "feed", "--expect", "1",
      saying: ["dataset 'feed' is at revision 2, expected 1"])
    let undo = try place.run(
      ["undo", "--dataset", "feed", "--expect", "2", "--visible", "0,0,220,100", "--json"])
    #expect(
      undo.output.hasPrefix(
        #"{"dataset":"feed","revision":3,"updates":{"sections":[],"items":["#
          + #"{"op":"insert","key":"a","after":[0,0]}]},"layouts":[{"layout":"phone","#),
      "\(undo.output)\(undo.errorOutput)")
    #expect(undo.output.contains("contentOffsetAdjustment"))
  }

  @Test func impossibleUndoIsBadInput() throws {
    let place = try Workplace.withPreparedFeed()
    try place.expect(
      65, "undo", "--dataset", "feed",
      saying: ["revision 1 of dataset 'feed' can't be undone: it is an import"])
    try place.expect(66, "undo", "--dataset", "none", saying: ["there is no dataset 'none'"])
  }
}
