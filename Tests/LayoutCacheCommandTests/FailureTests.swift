import Foundation
import Testing

struct FailureTests {
  @Test func unknownNamesAreNotFound() throws {
    let place = try Workplace.withFeed()
    try place.expect(66, "export", "--dataset", "none", saying: ["'none'"])
    try place.expect(
      66, "query", "--dataset", "feed", "--layout", "none", "--rect", "0,0,1,1",
      saying: ["'none'", "'feed'"])
    try place.expect(
      66, "item", "none", "--dataset", "feed", "--layout", "phone", saying: ["'none'"])
    try place.expect(66, "layout", "remove", "none", "--dataset", "feed", saying: ["'none'"])
    try place.expect(66, "inspect", "--dataset", "feed", "--layout", "none")
    try place.expect(
      66, "datasets", "--database", "none.sqlite", saying: ["no database at none.sqlite"])
    #expect(!place.exists("none.sqlite"))
  }

  @Test func fileThatIsNoDatabaseIsCorrupt() throws {
    let place = try Workplace()
    try place.write("just text, and more of it\n", to: "notes.sqlite")
    try place.expect(76, "datasets", "--database", "notes.sqlite", saying: ["notes.sqlite"])
    try place.expect(74, "datasets", "--database", ".", saying: ["directory"])
  }

  @Test func pathsThatCannotHoldADatabaseAreReported() throws {
    let place = try Workplace()
    try place.write("key,width,height\na,1,1\n", to: "feed.csv")
    func expect(_ path: String, _ phrases: String...) throws {
      try place.expect(
        74, "import", "feed.csv", "--dataset", "d", "--database", path,
        saying: ["cannot open \(path): "] + phrases)
    }
    try expect("none/a.sqlite", "the folder none does not exist; create it first")
    try expect("feed.csv/a.sqlite", "feed.csv is not a folder")
    try expect(".", "it is a directory")
    #expect(!place.exists("none"))
  }

  @Test func databaseOfANewerVersionIsRejected() throws {
    let place = try Workplace.withFeed()
    try place.sql("INSERT INTO migrations (number, name) VALUES (9999, 'later')")
    try place.expect(76, "datasets", saying: ["version 9999"])
  }

  @Test(arguments: [
    ["bogus"], ["bench"], ["import"], ["layout", "bogus"],
    ["layout", "set", "a", "--dataset", "d"],
    ["query", "--dataset", "d", "--layout", "l", "--rect", "0,0,1,1", "--limit", "0"],
    ["query", "--dataset", "d", "--layout", "l", "--rect", "0,0,1,1", "--limit", "-1"],
    ["query", "--dataset", "d", "--layout", "l", "--rect", "0,0,1,1", "--limit=2.5"],
    ["query", "--dataset", "d", "--layout", "l", "--rect", "0,0,1,1", "--after", "x"],
    ["hit-test", "1,2", "--bogus", "--dataset", "d", "--layout", "l"],
    ["datasets", "--database", ""],
    ["render", "--dataset", "d", "--layout", "l", "--rect", "0,0,1,1", "-o", "a.gif"],
  ])
  func improperCommandLineIsAUsageErrorInOneLine(_ arguments: [String]) throws {
    let run = try Workplace().run(arguments)
    #expect(run.exitCode == 64)
    #expect(run.errorLines.count == 1)
    #expect(run.errorOutput.contains("--help"))
    #expect(run.output.isEmpty)
  }

  @Test func helpAndVersionAreNoFailures() throws {
    let place = try Workplace()
    for arguments in [["--help"], ["--version"], ["query", "--help"], ["layout", "set", "-h"]] {
      let run = try place.run(arguments)
      #expect(run.exitCode == 0)
      #expect(!run.output.isEmpty)
      #expect(run.errorOutput.isEmpty)
    }
  }

  @Test func refusedConfigurationNamesTheMember() throws {
    let place = try Workplace.withFeed()
    try place.write(#"{"container":{"width":300},"section":{"colums":2}}"#, to: "bad.json")
    try place.expect(
      65, "layout", "set", "bad", "--dataset", "feed", "--config", "bad.json",
      saying: ["bad.json", "colums", "section"])
    try place.expect(
      65, "layout", "set", "bad", "--dataset", "feed", "--width", "300", "--columns", "300",
      saying: ["columns is 300", "256"])
    try place.expect(
      64, "layout", "set", "bad", "--dataset", "feed", "--config", "bad.json", "--width", "1",
      saying: ["--config"])
  }

  @Test func databaseComesFromOptionThenEnvironment() throws {
    let place = try Workplace.withFeed()
    let other = ["LAYOUTCACHE_DATABASE": "other.sqlite"]
    #expect(try place.run(["datasets"], environment: other).exitCode == 66)
    let named = try place.run(
      ["datasets", "--database", "layoutcache.sqlite"], environment: other)
    #expect(named.exitCode == 0)
  }
}
