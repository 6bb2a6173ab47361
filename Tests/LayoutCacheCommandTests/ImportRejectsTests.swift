import Foundation
import TestSupport
import Testing

/// The rows that an import does not take, in its outcome and in the file of `--rejects`.
@Suite struct ImportRejectsTests {
  private static let header = "key,width,height\n"

  private static func object(_ json: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }

  /// Both ways of appending: as a batch to a large dataset, and by building a small one again.
  @Test(arguments: [4, 4_000]) func skippedDuplicatesAreWrittenAndCounted(count: Int) throws {
    let place = try Workplace()
    let rows = (0..<count).map { "k\($0),\($0 + 1),5\n" }.joined()
    try place.write(Self.header + rows, to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "d")
    // Keys of the dataset, of an earlier row, and a new one; and an invalid row.
    let more = "k3,9,\"9\"\nnew,1,2\nbad,0,2\nk1,7,7\nnew,3,4\nk1,8,8\n"
    try place.write(Self.header + more, to: "more.csv")
    let outcome = try place.expect(
      0, "import", "more.csv", "--dataset", "d", "--append", "--on-duplicate", "skip",
      "--rejects", "rejects.csv", "--json"
    ).output
    let object = try Self.object(outcome)
    #expect(object["imported"] as? Int == 1 && object["items"] as? Int == count + 1)
    #expect(object["skipped"] as? Int == 5 && object["duplicates"] as? Int == 4)
    // Those that the dataset had are known at the end only.
    #expect(
      try place.read("rejects.csv")
        == Self.header + "bad,0,2\nnew,3,4\nk1,8,8\nk3,9,\"9\"\nk1,7,7\n")
  }

  @Test func duplicatesOfAPipeAreWritten() throws {
    let place = try Workplace()
    let line = """
      for n in 1 2; do
        printf '{"key":"a","width":1,"height":1}\\n{"key":"b","width":1,"height":1}\\n' |
          $LAYOUTCACHE import - --dataset d --format ndjson $mode --on-duplicate skip \
            --rejects rejects > outcome
        mode=--append
      done
      """
    let result = try place.shell(line)
    #expect(result.exitCode == 0, "\(result.errorOutput)")
    #expect(
      try place.read("rejects")
        == #"{"key":"a","width":1,"height":1}"# + "\n" + #"{"key":"b","width":1,"height":1}"#
        + "\n")
    #expect(try place.read("outcome").contains("skipped 2 rows:"))
  }

  @Test func updatedRowsAreNotRejected() throws {
    let place = try Workplace()
    try place.write(Self.header + "a,1,2\na,3,4\n", to: "feed.csv")
    let outcome = try place.expect(
      0, "import", "feed.csv", "--dataset", "d", "--on-duplicate", "update", "--rejects", "r",
      "--json"
    ).output
    let object = try Self.object(outcome)
    #expect(object["updated"] as? Int == 1 && object["duplicates"] as? Int == 0)
    #expect(try place.read("r") == Self.header)
  }

  @Test func matchSkipsTheKeysOfEarlierRows() throws {
    let place = try Workplace()
    try place.write(Self.header + "a,1,2\nb,1,2\nc,1,2\n", to: "a.csv")
    try place.write(Self.header + "c,5,6\na,1,2\nc,7,8\n", to: "b.csv")
    try place.expect(0, "import", "a.csv", "--dataset", "d")
    try place.expect(65, "import", "b.csv", "--dataset", "d", "--match", saying: ["line 4"])
    for revision in [2, 2] {
      let outcome = try place.expect(
        0, "import", "b.csv", "--dataset", "d", "--match", "--on-duplicate", "skip", "--rejects",
        "r", "--json"
      ).output
      let object = try Self.object(outcome)
      #expect(object["revision"] as? Int == revision && object["items"] as? Int == 2)
      #expect(object["duplicates"] as? Int == 1 && object["skipped"] as? Int == 1)
      #expect(try place.read("r") == Self.header + "c,7,8\n")
    }
    let exported = try place.expect(0, "export", "--dataset", "d", "--format", "csv").output
    #expect(exported.contains("c,5,6"), "\(exported)")
    try place.expect(
      64, "import", "b.csv", "--dataset", "d", "--match", "--on-duplicate", "update")
  }

  @Test func rowsWithoutASectionAreCountedAndRejected() throws {
    let place = try Workplace()
    let text = "key,width,height,year\na,1,2,1997\nb,1,2,\nc,1,2,1998\n"
    try place.write(text, to: "feed.csv")
    let plain = try place.expect(0, "import", "feed.csv", "--dataset", "d", "--section", "year")
    #expect(plain.output.contains("1 row without a section: section \"main\"\n"))
    let json = try place.expect(
      0, "import", "feed.csv", "--dataset", "e", "--section", "year", "--json"
    ).output
    #expect(try Self.object(json)["withoutSection"] as? Int == 1)
    let rejecting = try place.expect(
      0, "import", "feed.csv", "--dataset", "f", "--section", "year", "--rejects", "r")
    #expect(rejecting.output.contains("year is empty"), "\(rejecting.output)")
    #expect(try place.read("r") == "key,width,height,year\nb,1,2,\n")
    #expect(try place.run(["sections", "--dataset", "f"]).output.contains("main") == false)
    // A file without sections has no rows that lack one.
    let none = try place.expect(0, "import", "feed.csv", "--dataset", "g", "--json").output
    #expect(try Self.object(none)["withoutSection"] as? Int == 0)
    try place.write(text.replacing("year", with: "section"), to: "named.csv")
    let named = try place.expect(0, "import", "named.csv", "--dataset", "h", "--json").output
    #expect(try Self.object(named)["withoutSection"] as? Int == 1)
  }

  @Test func appendingToAMissingDatasetCreatesNothing() throws {
    let place = try Workplace()
    try place.write(Self.header + "a,1,2\n", to: "products.csv")
    try place.expect(66, "import", "products.csv", "--guess", "--append")
    #expect(!place.exists("layoutcache.sqlite"))
    try place.expect(0, "import", "products.csv", "--dataset", "product")
    try place.expect(
      66, "import", "products.csv", "--guess", "--append", saying: ["did you mean 'product'?"])
    #expect(try place.run(["datasets"]).output.contains("products") == false)
  }
}
