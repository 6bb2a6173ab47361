import Foundation
import Testing

struct ImportCommandTests {
  /// A file that cannot be imported, and the expected error.
  struct Refusal: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var file: Data
    var phrases: [String]

    init(_ name: String, _ text: String, _ phrases: [String]) {
      self.init(name, Data(text.utf8), phrases)
    }

    init(_ name: String, _ file: Data, _ phrases: [String]) {
      testDescription = name
      self.file = file
      self.phrases = phrases
    }
  }

  static let refusals = [
    Refusal("an empty file", "", ["bad.csv", "empty"]),
    Refusal(
      "a PNG", Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]),
      ["bad.csv", "a picture"]),
    Refusal("an SQLite file", "SQLite format 3\0\u{10}\0", ["bad.csv", "an SQLite database"]),
    Refusal("a NUL byte", "key,width,height\na,1,2\0\n", ["bad.csv", "not text"]),
    Refusal(
      "no height column", "key,width\na,1\n",
      ["bad.csv", "line 1", "'height'; the columns are 'key', 'width'"]),
    Refusal("an open quote", "key,width,height\na,1,\"2\n", ["bad.csv", "line 2", "quote"]),
    Refusal(
      "bytes that are not UTF-8",
      Data("key,width,height\na,1,2\n".utf8) + Data([0xFF]) + Data(",1,2\n".utf8),
      ["bad.csv", "line 3", "UTF-8"]),
    Refusal(
      "a key that occurs twice", "key,width,height\na,1,2\nb,1,2\na,3,4\n",
      ["bad.csv", "line 4", "line 2", "'a'"]),
    Refusal("a width of 0", "key,width,height\na,1,2\nb,0,2\n", ["line 3", "width is 0", "1/64"]),
    Refusal("a width that is no number", "key,width,height\na,n/a,2\n", ["line 2", "n/a"]),
    Refusal("a key with a tab", "key,width,height\n\"a\tb\",1,2\n", ["line 2", "key"]),
    Refusal(
      "a line of three million bytes",
      "key,width,height\na,1," + String(repeating: "2", count: 3_000_000) + "\n",
      ["bad.csv", "line 2", "1048576"]),
  ]

  @Test func matchImportMakesTheDatasetEqualTheFile() throws {
    let place = try Workplace()
    try place.write("key,width,height\na,1,2\nb,1,2\nc,1,2\n", to: "a.csv")
    try place.write("key,width,height\nc,1,2\na,1,3\nn,1,1\n", to: "b.csv")
    try place.write("key,width,height\n", to: "none.csv")
    try place.expect(0, "import", "a.csv", "--dataset", "d")
    for _ in 1...2 {
      let matched = try place.expect(0, "import", "b.csv", "--dataset", "d", "--match")
      #expect(matched.output.contains("3 items in 1 section at revision 2"))
    }
    try place.write("key,width,height\nm,1,1\n", to: "more.csv")
    let kept = try place.expect(
      0, "import", "more.csv", "--dataset", "d", "--match", "--missing", "keep")
    #expect(kept.output.contains("4 items in 1 section at revision 3"))
    try place.expect(64, "import", "more.csv", "--dataset", "d", "--append", "--missing", "keep")
    try place.expect(
      65, "import", "none.csv", "--dataset", "d", "--match", saying: ["--allow-empty", "none.csv"])
    try place.expect(64, "import", "b.csv", "--dataset", "d", "--match", "--append")
    try place.expect(64, "import", "b.csv", "--dataset", "d", "--allow-empty")
    let emptied = try place.expect(
      0, "import", "none.csv", "--dataset", "d", "--match", "--allow-empty")
    #expect(emptied.output.contains("at revision 4"))
    try place.expect(0, "import", "a.csv", "--dataset", "d", "--replace")
    try place.expect(
      65, "import", "none.csv", "--dataset", "d", "--replace", saying: ["--allow-empty"])
    let replaced = try place.expect(
      0, "import", "none.csv", "--dataset", "d", "--replace", "--allow-empty")
    #expect(replaced.output.contains("0 items in 0 sections at revision 6"))
  }

  @Test(arguments: refusals)
  func rejectedFileStoresNothingAndIsNamedWithItsLine(_ refusal: Refusal) throws {
    let place = try Workplace()
    try place.write(refusal.file, to: "bad.csv")
    try place.expect(65, "import", "bad.csv", "--dataset", "d", saying: refusal.phrases)
    // Without a database there is no dataset either.
    let datasets = try place.run(["datasets", "--json"])
    #expect(datasets.exitCode == 66 || datasets.output == "{\"datasets\":[]}\n")
  }

  @Test func missingFileCreatesNoDatabase() throws {
    let place = try Workplace()
    try place.expect(66, "import", "none.csv", "--dataset", "d", saying: ["none.csv"])
    try place.expect(
      74, "import", ".", "--format", "csv", "--dataset", "d", saying: ["directory"])
    #expect(!place.exists("layoutcache.sqlite"))
  }

  @Test func formatFollowsTheExtensionOrTheFirstBytes() throws {
    let place = try Workplace()
    let line = "{\"key\":\"a\",\"width\":1,\"height\":2}\n"
    for name in ["a.ndjson", "a.jsonl", "a.json"] {
      try place.write(line, to: name)
      try place.expect(0, "import", name, "--dataset", name)
    }
    try place.write("key\twidth\theight\na\t1\t2\n", to: "a.tab")
    try place.expect(0, "import", "a.tab", "--dataset", "tab")
    try place.write(line, to: "a.txt")
    try place.expect(0, "import", "a.txt", "--dataset", "txt")
    let header = try place.run(
      ["import", "-", "--dataset", "header"], input: "\u{FEFF}key,width,height\na,1,2\n")
    #expect(header.exitCode == 0, "\(header.errorOutput)")
    let piped = try place.run(["import", "-", "--dataset", "piped", "--json"], input: line)
    #expect(
      piped.output
        == #"{"dataset":"piped","revision":1,"imported":1,"updated":0,"skipped":0,"duplicates":0,"withoutSection":0,"sections":1,"items":1,"problems":[]}"#
        + "\n")
  }

  @Test func skippedRowsAreCountedByReasonWithTheirLines() throws {
    let place = try Workplace()
    try place.write(
      "id,w,h\na,1,2\nb,,2\nc,0,2\nd,,2\ne,1,2000000\n", to: "some.csv")
    let arguments = [
      "import", "some.csv", "--dataset", "d", "--key", "id", "--width", "w", "--height", "h",
      "--on-invalid", "skip",
    ]
    let people = try place.run(arguments)
    #expect(
      people.output == """
        imported 1 item into dataset 'd'; it holds 1 item in 1 section at revision 1
        skipped 4 rows:
        rows  reason                lines
           2  w is empty            3, 5
           1  width is not above 0  4
           1  height is too large   6

        """)
    let machines = try place.run(arguments + ["--replace", "--json"])
    #expect(
      machines.output
        == #"{"dataset":"d","revision":2,"imported":1,"updated":0,"skipped":4,"duplicates":0,"withoutSection":0,"sections":1,"items":1,"problems":["#
        + #"{"line":3,"field":"w","reason":"w is empty"},"#
        + #"{"line":4,"field":"w","reason":"width is 0; it must be at least 1/64"},"#
        + #"{"line":5,"field":"w","reason":"w is empty"},"#
        + #"{"line":6,"field":"h","reason":"height is 2000000; the limit is 1000000"}]}"# + "\n")
  }

  @Test func existingRowsAreSkippedOrUpdated() throws {
    let place = try Workplace()
    try place.write("key,width,height\na,1,2\nb,1,2\n", to: "old.csv")
    try place.write("key,width,height\nb,5,6\nc,1,1\nd,0,1\nc,2,2\n", to: "new.csv")
    try place.expect(0, "import", "old.csv", "--dataset", "d")
    let append = ["import", "new.csv", "--dataset", "d", "--append", "--on-invalid", "skip"]
    try place.expect(
      65, "import", "new.csv", "--dataset", "d", "--append", saying: ["line 4"])
    let skipped = try place.run(append + ["--on-duplicate", "skip"])
    #expect(
      skipped.output == """
        imported 1 item into dataset 'd'; it holds 3 items in 1 section at revision 2
        skipped 3 rows:
        rows  reason                lines
           1  width is not above 0  4
           2  duplicate key         2, 5

        """)
    let updated = try place.run(append + ["--on-duplicate", "update", "--json"])
    #expect(
      updated.output
        == #"{"dataset":"d","revision":3,"imported":0,"updated":3,"skipped":1,"duplicates":0,"withoutSection":0,"sections":1,"items":3,"problems":["#
        + #"{"line":4,"field":"width","reason":"width is 0; it must be at least 1/64"}]}"# + "\n")
    let items = try place.expect(0, "export", "--dataset", "d", "--format", "csv")
    #expect(items.output.contains("b,5,6") && items.output.contains("c,2,2"))
  }

  @Test func headerWithoutRowsCreatesAnEmptyDataset() throws {
    let place = try Workplace()
    try place.write("key,width,height\n", to: "head.csv")
    try place.write("", to: "none.ndjson")
    for (file, dataset) in [("head.csv", "c"), ("none.ndjson", "n")] {
      let made = try place.expect(0, "import", file, "--dataset", dataset)
      #expect(made.output.contains("it holds 0 items in 0 sections at revision 1"))
      let again = try place.expect(0, "import", file, "--dataset", dataset, "--append")
      #expect(again.output.contains("at revision 1"))
    }
    try place.write("{\"key\":12345678901234567890,\"width\":1,\"height\":1}\n", to: "i.ndjson")
    try place.expect(0, "import", "i.ndjson", "--dataset", "n", "--append")
    let items = try place.expect(0, "export", "--dataset", "n", "--format", "csv")
    #expect(items.output.contains("12345678901234567890,1,1"))
  }

  @Test func fileWithOnlySkippedRowsIsRejected() throws {
    let place = try Workplace()
    try place.write("key,width,height\na,0,2\nb,1,\n", to: "bad.csv")
    try place.expect(
      65, "import", "bad.csv", "--dataset", "d", "--on-invalid", "skip",
      saying: ["bad.csv", "line 2"])
  }

  @Test func existingDatasetNeedsAMode() throws {
    let place = try Workplace.withFeed()
    try place.expect(
      64, "import", "feed.csv", "--dataset", "feed", saying: ["--append", "--replace"])
    try place.expect(
      64, "import", "feed.csv", "--dataset", "feed", "--append", "--replace")
    try place.write("key,width,height\nd,1,1\na,1,1\n", to: "taken.csv")
    try place.expect(
      65, "import", "taken.csv", "--dataset", "feed", "--append", saying: ["line 3", "'a'"])
    try place.write("key,width,height,section\nd,1,1,one\n", to: "more.csv")
    try place.expect(0, "import", "more.csv", "--dataset", "feed", "--append")
    let sections = try place.expect(0, "sections", "--dataset", "feed", "--json")
    #expect(
      sections.output
        == #"{"dataset":"feed","sections":[{"section":0,"sectionKey":"one","firstItem":0,"items":3},"#
        + #"{"section":1,"sectionKey":"two","firstItem":3,"items":1}]}"# + "\n")
  }

  @Test(arguments: ["csv", "ndjson"])
  func importOfAnExportIsIdentical(format: String) throws {
    let place = try Workplace()
    let text = """
      key,width,height,section,span
      "a ""quoted"", key",0.015625,1000000,"x, y",0
      é,12.5,3,main,1
      e\u{301},1,1,"x, y",65535

      """
    try place.write(text, to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "one")
    let first = try place.expect(0, "export", "--dataset", "one", "--format", format)
    try place.write(first.output, to: "again.\(format)")
    try place.expect(0, "import", "again.\(format)", "--dataset", "two")
    let second = try place.expect(0, "export", "--dataset", "two", "--format", format)
    #expect(second.output == first.output)
    #expect(first.output.split(separator: "\n").count == (format == "csv" ? 4 : 3))
  }
}
