import Testing

/// The only dataset and the only layout need not be named.
struct OnlyOneTests {
  @Test func onlyDatasetAndLayoutNeedNoName() throws {
    let place = try Workplace.withFeed()
    try place.write(#"{"op":"delete","keys":["a"]}"#, to: "batch.ndjson")
    let lines: [[String]] = [
      ["export"], ["sections"], ["layout", "list"], ["layout", "show"], ["item", "a"],
      ["query", "--rect", "0,0,220,100"], ["query", "--since", "1"], ["hit-test", "10,30"],
      ["update", "batch.ndjson"], ["log"], ["prepare"], ["rebalance"], ["invalidate"],
      ["inspect", "--layout", "phone"], ["render", "--rect", "0,0,9,9", "-o", "a.svg"],
      ["import", "feed.csv", "--replace"], ["layout", "rename", "phone", "small"],
      ["layout", "remove", "small"],
    ]
    for line in lines {
      let run = try place.run(line)
      #expect(run.exitCode == 0, "\(line): \(run.errorOutput)")
    }
  }

  @Test func oneOfSeveralMustBeNamed() throws {
    let place = try Workplace.withFeed()
    try place.expect(0, "dataset", "create", "other")
    try place.expect(64, "sections", saying: ["several datasets", "'feed', 'other'", "--dataset"])
    try place.expect(66, "query", "--dataset", "other", "--rect", "0,0,1,1", saying: ["no layout"])
    try place.expect(0, "layout", "set", "wide", "--width", "400", "--dataset", "feed")
    try place.expect(
      64, "query", "--dataset", "feed", "--rect", "0,0,1,1",
      saying: ["several layouts", "'phone', 'wide'", "--layout"])
    try place.expect(64, "dataset", "remove")
  }

  @Test func environmentVariableNamesTheDataset() throws {
    let place = try Workplace.withFeed()
    try place.expect(0, "dataset", "create", "other")
    let other = ["LAYOUTCACHE_DATASET": "other"]
    #expect(try place.run(["sections"], environment: other).output.contains("'other'"))
    #expect(
      try place.run(["sections", "--dataset", "feed"], environment: other).output.contains("one"))
    let unknown = try place.run(["sections"], environment: ["LAYOUTCACHE_DATASET": "othr"])
    #expect(unknown.exitCode == 66)
    #expect(unknown.errorOutput.contains("did you mean 'other'?"))
    let imported = try place.run(
      ["import", "feed.csv"], environment: ["LAYOUTCACHE_DATASET": "third"])
    #expect(imported.exitCode == 0, "\(imported.errorOutput)")
  }

  @Test func emptyDatabaseExplainsHowToImport() throws {
    let place = try Workplace.withFeed()
    try place.expect(0, "dataset", "remove", "feed")
    try place.expect(66, "sections", saying: ["no dataset", "'layoutcache import' creates one"])
  }

  @Test func commonOptionsMayPrecedeTheSubcommand() throws {
    let place = try Workplace.withFeed()
    for line in [
      ["--database", "layoutcache.sqlite", "datasets"],
      ["--database=layoutcache.sqlite", "--json", "sections", "--dataset", "feed"],
      ["--dataset", "feed", "--layout", "phone", "query", "--rect", "0,0,1,1"],
      ["layout", "--dataset", "feed", "list"],
      ["--database", "layoutcache.sqlite", "layout", "--json", "show", "phone"],
    ] {
      let run = try place.run(line)
      #expect(run.exitCode == 0, "\(line): \(run.errorOutput)")
    }
    try place.expect(66, "--database", "none.sqlite", "datasets", saying: ["none.sqlite"])
  }
}
