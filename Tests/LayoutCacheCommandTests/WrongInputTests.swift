import Foundation
import Testing

/// Files of a newcomer that cannot be imported as they are, and the advice.
@Suite struct WrongInputTests {
  private static let files: [(name: String, text: String, phrases: [String])] = [
    ("unit.csv", "key,width,height\na,12px,3\n", ["\"12px\"; write it without a unit"]),
    ("percent.csv", "key,width,height\na,50%,3\n", ["\"50%\"; write it without a unit"]),
    ("thousands.csv", "key,width,height\na,\"1,200\",3\n", ["write it without separators"]),
    ("comma.csv", "key;width;height\na;1,5;3\n", ["decimals after a point"]),
    ("quoted.ndjson", #"{"key":"a","width":"4","height":3}"#, ["write it without quotes"]),
    ("colons.csv", "key:width:height\na:1:2\n", ["separate columns by , ; | or a tab"]),
    ("upper.csv", "KEY,WIDTH,HEIGHT\na,1,2\n", ["did you mean 'WIDTH'?", "--guess"]),
    ("spaces.csv", "key, width, height\na, 1, 2\n", ["did you mean ' width'?"]),
    ("members.ndjson", #"{"id":"a","w":4,"h":3}"#, ["key is missing", "--key", "--guess"]),
    ("empty.ndjson.csv", "", ["it needs a header row"]),
    ("lines.json", "{\n  \"key\": \"a\"\n}\n", ["write each object on one line"]),
    ("word.json", "hello", ["begins like CSV"]),
  ]

  @Test func everyWrongFileGetsAdvice() throws {
    let place = try Workplace()
    for file in Self.files {
      try place.write(file.text, to: file.name)
      try place.expect(65, "import", file.name, "--dataset", "d", saying: file.phrases)
    }
    #expect(try place.run(["datasets"]).output == "no datasets\n")
    try place.write("key,width,height\na,1,2\n", to: "good.csv")
    for flags in [["--section", "key:week"], ["--data", "key:text"]] {
      let run = try place.run(["import", "good.csv", "--dataset", "d"] + flags)
      #expect(run.errorOutput.contains("day, month or year in --section"), "\(run.errorOutput)")
    }
    try place.expect(
      66, "import", "file:///tmp/a.csv", "--dataset", "d", saying: ["name its path: /tmp/a.csv"])
    try place.expect(
      74, "import", "upper.csv", "--guess", "--rejects", "none/r.csv", saying: ["create the folder"]
    )
  }

  @Test func spacesAndCapitalsAreGuessed() throws {
    let place = try Workplace()
    try place.write("Key, Width, Height\na, 1, 2\n", to: "spaces.csv")
    let check = try place.run(["import", "spaces.csv", "--check"])
    #expect(
      check.output.hasSuffix("--key Key --width ' Width' --height ' Height'\n"), "\(check.output)")
    try place.expect(0, "import", "spaces.csv", "--guess")
  }

  /// Nothing of these files would be shown.
  @Test(arguments: [
    ("colons.csv", "key:width:height\na:1:2\n"), ("wrapped.json", #"{"items":[{"key":"a"}]}"#),
  ])
  func filesWithoutARecognizedFieldAreNotGuessed(name: String, text: String) throws {
    let place = try Workplace()
    try place.write(text, to: name)
    try place.expect(65, "open", name, "--no-browser", saying: ["no key, size, date, title"])
    let check = try place.run(["import", name, "--check"])
    #expect(check.exitCode == 1 && !check.output.contains("this command"), "\(check.output)")
    #expect(!place.exists("layoutcache.sqlite"))
  }

  @Test func valuesThatAreAllInvalidAreNotHiddenByAGuess() throws {
    let place = try Workplace()
    try place.write("key,width,height\na,4cm,1\nb,5cm,1\n", to: "a.csv")
    let check = try place.run(["import", "a.csv", "--check"])
    #expect(check.output.contains("width is not a number"), "\(check.output)")
    #expect(!check.output.contains("this command"))
  }

  @Test func standardInputIsCheckedUnderItsName() throws {
    let place = try Workplace()
    let check = try place.run(["import", "-", "--check"], input: "key,width,height\na,1,2\n")
    #expect(
      check.output == """
        standard input: CSV, 1 row
        no problems
        this command imports it:
          layoutcache import - --dataset NAME

        """)
  }

  @Test func openNeedsRows() throws {
    let place = try Workplace()
    try place.write("id,width,height\n", to: "a.csv")
    try place.expect(65, "open", "a.csv", "--no-browser", saying: ["a header and no rows"])
  }
}
