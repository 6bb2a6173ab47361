import Foundation
import Testing

struct UpdateRefusalTests {
  /// A rejected line, and the expected error.
  struct Refusal: CustomTestStringConvertible, Sendable {
    var line: String
    var exitCode: Int32
    var phrases: [String]

    var testDescription: String { line }

    init(_ line: String, _ exitCode: Int32, _ phrases: String...) {
      self.line = line
      self.exitCode = exitCode
      self.phrases = phrases
    }
  }

  /// Lines rejected before the database is opened.
  static let improper = [
    Refusal("nope", 65, "not JSON"),
    Refusal(#"{"op":"delete","keys":["a"]"#, 65, "not JSON"),
    Refusal(#"{"op":"erase"}"#, 65, "op is \"erase\""),
    Refusal(#"{"op":"delete","key":"a"}"#, 65, "\"key\" is not a member of delete"),
    Refusal(
      #"{"op":"move","key":"a","before":"b","after":"c"}"#, 65,
      "after cannot be combined with before"),
    Refusal(
      #"{"op":"insert","items":[{"key":"d","width":"1","height":1}],"section":"one"}"#, 65,
      "items[0].width is not a number"),
    Refusal(
      #"{"op":"insert","items":[{"key":"d","width":1,"height":0}],"section":"one"}"#, 65,
      "operation 2", "'d'", "height is 0", "1/64"),
    Refusal(
      #"{"op":"insert","items":[{"key":"d\u0007","width":1,"height":1}],"section":"one"}"#, 65,
      "operation 2", #"d\u{07}"#, "control character"),
    Refusal(
      #"{"op":"insert","items":[{"key":"d","width":1,"height":1,"span":65536}],"section":"one"}"#,
      65, "operation 2", "span is 65536", "65535"),
    Refusal(
      #"{"op":"resize","key":"a","width":2000000,"height":1}"#, 65, "operation 2", "'a'",
      "width is 2000000", "1000000"),
    Refusal(
      #"{"op":"prefer","layout":"phone","key":"a","length":-1}"#, 65, "operation 2", "'a'",
      "length is -1", "1/64"),
    Refusal(
      #"{"op":"prefer","layout":"phone","key":"a","length":1e300}"#, 65, "operation 2",
      "length is 1e+300", "1000000"),
    Refusal(#"{"op":"insertSection","key":""}"#, 65, "operation 2", "section key is empty"),
    Refusal(
      #"{"op":"delete","keys":["\#(String(repeating: "k", count: 10_000_000))"]}"#, 65,
      "operation 2", "kkk…': key has 10000000 bytes; the limit is 255"),
  ]

  /// Lines rejected because of the dataset's contents.
  static let impossible = [
    Refusal(#"{"op":"delete","keys":["x"]}"#, 66, "item 'x'"),
    Refusal(#"{"op":"delete","keys":["c","c"]}"#, 66, "item 'c'"),
    Refusal(#"{"op":"delete","keys":["b"]}"#, 66, "item 'b'"),
    Refusal(#"{"op":"resize","key":"x","width":1,"height":1}"#, 66, "item 'x'"),
    Refusal(#"{"op":"move","key":"a","after":"x"}"#, 66, "item 'x'"),
    Refusal(#"{"op":"move","key":"a","section":"x"}"#, 66, "section 'x'"),
    Refusal(#"{"op":"insert","items":[],"section":"x"}"#, 66, "section 'x'"),
    Refusal(#"{"op":"deleteSection","key":"x"}"#, 66, "section 'x'"),
    Refusal(#"{"op":"moveSection","key":"x","index":0}"#, 66, "section 'x'"),
    Refusal(#"{"op":"prefer","layout":"x","key":"a","length":1}"#, 66, "layout 'x'"),
    Refusal(#"{"op":"prefer","layout":"phone","key":"x","length":null}"#, 66, "item 'x'"),
    Refusal(#"{"op":"invalidate","layout":"x","everything":true}"#, 66, "layout 'x'"),
    Refusal(#"{"op":"invalidate","layout":"phone","sections":["x"]}"#, 66, "section 'x'"),
    Refusal(#"{"op":"invalidate","layout":"phone","items":["x"]}"#, 66, "item 'x'"),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1}],"section":"one"}"#, 65,
      "item 'a' already"),
    Refusal(
      #"{"op":"insert","items":[{"key":"d","width":1,"height":1},{"key":"d","width":1,"height":1}],"section":"one"}"#,
      65, "'d'"),
    Refusal(#"{"op":"insertSection","key":"one"}"#, 65, "section 'one' already"),
    Refusal(#"{"op":"insertSection","key":"x","index":3}"#, 65, "index 3", "0 to 2"),
    Refusal(#"{"op":"moveSection","key":"one","index":2}"#, 65, "index 2", "0 to 1"),
    Refusal(#"{"op":"move","key":"a","section":"one","index":-1}"#, 65, "index -1"),
    Refusal(#"{"op":"move","key":"a","section":"two","index":2}"#, 65, "index 2", "0 to 1"),
    Refusal(#"{"op":"move","key":"a","before":"a"}"#, 65, "'a'", "relative to itself"),
    Refusal(#"{"op":"resize","key":"a","width":1,"height":1,"span":65536}"#, 65, "span"),
    Refusal(#"{"op":"resize","key":"a","width":1,"height":1,"span":-1}"#, 65, "span"),
  ]

  @Test(arguments: improper)
  func improperLineIsNamedAndNothingIsChanged(_ refusal: Refusal) throws {
    try refuse(refusal, numbersOperation: false)
  }

  @Test(arguments: impossible)
  func impossibleOperationIsNamedAndNothingIsChanged(_ refusal: Refusal) throws {
    try refuse(refusal, numbersOperation: true)
  }

  @Test func preferredLengthWithoutEffectIsRejected() throws {
    let place = try Workplace.withFeed()
    try place.expect(
      0, "layout", "set", "squares", "--dataset", "feed", "--kind", "grid", "--row-length", "9",
      "--width", "99")
    let run = try place.run(
      ["update", "-", "--dataset", "feed"],
      input: #"{"op":"prefer","layout":"squares","key":"a","length":9}"#)
    #expect(run.exitCode == 65)
    #expect(
      run.errorOutput.contains(
        "operation 1: item 'a' is in a grid section of layout 'squares', which takes no"),
      "\(run.errorOutput)")
  }

  @Test func batchBeyondTheLimitSuggestsImport() throws {
    let place = try Workplace.withFeed()
    let key = String(repeating: "k", count: 240)
    let items = (0..<70_000).map { #"{"key":"\#(key)\#($0)","width":1,"height":1}"# }
    let line = #"{"op":"insert","section":"one","items":[\#(items.joined(separator: ","))]}"#
    try place.write(line, to: "batch.ndjson")
    try place.expect(
      65, "update", "batch.ndjson", "--dataset", "feed",
      saying: ["batch.ndjson: the batch has 17", "16777216", "import", "nothing was changed"])
  }

  @Test func longArgumentsAreQuotedTruncated() throws {
    let long = String(repeating: "x", count: 1_000)
    for arguments in [["--\(long)"], [long], ["query", "--rect=\(long)"]] {
      let run = try Workplace().run(arguments)
      #expect(run.exitCode == 64)
      #expect(run.errorOutput.contains("xxx…"))
      #expect(run.errorOutput.utf8.count < 400, "\(run.errorOutput)")
    }
  }

  private func refuse(_ refusal: Refusal, numbersOperation: Bool) throws {
    let place = try Workplace.withPreparedFeed()
    let before = try place.expect(0, "export", "--dataset", "feed")
    try place.write(
      "{\"op\":\"delete\",\"keys\":[\"b\"]}\n\n\(refusal.line)\n", to: "batch.ndjson")
    try place.expect(
      refusal.exitCode, "update", "batch.ndjson", "--dataset", "feed",
      saying: ["batch.ndjson, line 3: ", "othing was changed"]
        + (numbersOperation ? ["operation 2: "] : []) + refusal.phrases)
    let after = try place.expect(0, "export", "--dataset", "feed")
    #expect(after.output == before.output)
    let datasets = try place.expect(0, "datasets", "--json")
    #expect(datasets.output.contains(#""revision":1"#))
    try place.expect(0, "verify")
  }

  @Test(arguments: ["", "\n \r\n", "\u{FEFF}"])
  func batchWithoutOperationsIsBadInput(text: String) throws {
    let place = try Workplace.withFeed()
    let run = try place.run(["update", "-", "--dataset", "feed"], input: text)
    #expect(run.exitCode == 65)
    #expect(run.errorLines.count == 1)
    #expect(run.errorOutput.contains("standard input, line 1: the input is empty"))
  }

  @Test func filesOfOtherFormatsAreRejectedAsBatch() throws {
    let place = try Workplace.withFeed()
    try place.expect(
      65, "update", "feed.csv", "--dataset", "feed", saying: ["feed.csv, line 1: ", "not JSON"])
    try place.expect(
      65, "update", "layoutcache.sqlite", "--dataset", "feed",
      saying: ["an SQLite database, not NDJSON"])
    try place.expect(
      66, "update", "none.ndjson", "--dataset", "feed", saying: ["none.ndjson"])
    try place.expect(74, "update", ".", "--dataset", "feed", saying: ["directory"])
  }

  @Test func missingDatabaseIsNotCreated() throws {
    let place = try Workplace()
    try place.write(#"{"op":"delete","keys":["a"]}"#, to: "batch.ndjson")
    try place.expect(66, "update", "batch.ndjson", "--dataset", "feed", saying: ["no database"])
    #expect(!place.exists("layoutcache.sqlite"))
  }

  @Test func missingDatasetIsNotFound() throws {
    let place = try Workplace.withFeed()
    try place.write(#"{"op":"delete","keys":["a"]}"#, to: "batch.ndjson")
    try place.expect(66, "update", "batch.ndjson", "--dataset", "none", saying: ["'none'"])
  }

  @Test(arguments: [
    ["update"], ["update", "-", "--dataset", "d", "--visible", "1,2"],
    ["update", "-", "--dataset", "d", "--visible", "0,0,nan,1"],
    ["rebalance", "--dataset", "d", "--from"],
    ["invalidate", "--dataset", "d", "--items", "a"],
  ])
  func improperCommandLineIsAUsageError(_ arguments: [String]) throws {
    let run = try Workplace().run(arguments)
    #expect(run.exitCode == 64)
    #expect(run.errorLines.count == 1)
    #expect(run.errorOutput.contains("--help"))
    #expect(run.output.isEmpty)
  }
}

extension UpdateRefusalTests {
  @Test func unexpectedRevisionExitsWithOne() throws {
    let place = try Workplace.withFeed()
    try place.write(#"{"op":"delete","keys":["a"]}"#, to: "batch.ndjson")
    let names = ["update", "batch.ndjson", "--dataset", "feed", "--expect"]
    try place.expect(
      1, "update", "batch.ndjson", "--dataset", "feed", "--expect", "2",
      saying: ["batch.ndjson: ", "is at revision 1, expected 2; nothing was changed"])
    #expect(try place.run(names + ["1"]).exitCode == 0)
    // The revision is checked before the operations: the item no longer exists.
    #expect(try place.run(names + ["1"]).exitCode == 1)
    #expect(try place.run(names + ["2"]).exitCode == 66)
    #expect(try place.run(names + ["x"]).exitCode == 64)
  }
}
