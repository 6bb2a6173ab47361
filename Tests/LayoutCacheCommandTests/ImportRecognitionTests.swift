import Foundation
import TestSupport
import Testing

@testable import LayoutCacheCommand

struct ImportRecognitionTests {
  private static let rows = (0..<500).map { "k\($0);\($0 + 1);\($0 * 2 + 1);s\($0 / 100)" }
  private static let text = "key;width;height;section\n" + rows.joined(separator: "\n") + "\n"

  @Test func everyFormGivesTheSameItems() throws {
    let place = try Workplace()
    try place.write(Self.text, to: "semicolons.csv")
    try place.write(Self.text.replacing(";", with: ","), to: "commas.csv")
    try place.write(Self.text.replacing(";", with: "\t"), to: "tabs.csv")
    let objects = (0..<500).map {
      #"{"key":"k\#($0)","width":\#($0 + 1),"height":\#($0 * 2 + 1),"section":"s\#($0 / 100)"}"#
    }
    try place.write("\n [\n" + objects.joined(separator: ",\n") + "\n]\n", to: "array.json")
    try place.write(objects.joined(separator: "\n"), to: "lines.ndjson")
    #expect(try place.shell("gzip -k semicolons.csv array.json").exitCode == 0)
    // Concatenated gzip members are one text.
    #expect(
      try place.shell("head -c 3000 commas.csv | gzip > a; tail -c +3001 commas.csv | gzip > b")
        .exitCode
        == 0)
    #expect(try place.shell("cat a b > members.csv.gz").exitCode == 0)
    var exports: Set<String> = []
    for name in [
      "semicolons.csv", "commas.csv", "tabs.csv", "array.json", "lines.ndjson",
      "semicolons.csv.gz", "array.json.gz", "members.csv.gz",
    ] {
      try place.expect(0, "import", name, "--dataset", name)
      exports.insert(try place.expect(0, "export", "--dataset", name).output)
    }
    let piped = try place.shell("cat array.json.gz | $LAYOUTCACHE import - --dataset piped")
    #expect(piped.exitCode == 0, "\(piped.errorOutput)")
    exports.insert(try place.expect(0, "export", "--dataset", "piped").output)
    #expect(exports.count == 1)
  }

  @Test func damagedGzipStoresNothing() throws {
    let place = try Workplace()
    try place.write(Self.text, to: "feed.csv")
    #expect(try place.shell("gzip feed.csv; head -c 900 feed.csv.gz > cut.csv.gz").exitCode == 0)
    try place.expect(65, "import", "cut.csv.gz", "--dataset", "d", saying: ["damaged or truncated"])
    try place.write(Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 255, 255, 255]), to: "bad.gz")
    try place.expect(65, "import", "bad.gz", "--dataset", "d", saying: ["damaged or truncated"])
    #expect(try place.run(["datasets"]).output == "no datasets\n")
  }

  /// A megabyte that expands to a gigabyte is processed in small pieces.
  @Test func compressedFileIsNeverInMemoryAsAWhole() throws {
    let place = try Workplace()
    #expect(try place.shell("head -c 64000000 /dev/zero | gzip > zeros.gz").exitCode == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: place.folder.path(of: "zeros.gz")))
    for size in [1, 7, 4096, data.count] {
      let inflater = GzipInflater()
      var (total, largest) = (0, 0)
      for start in stride(from: 0, to: data.count, by: size) {
        try Data(data[start..<min(start + size, data.count)]).withUnsafeBytes { piece in
          try inflater.inflate(piece) {
            total += $0.count
            largest = max(largest, $0.count)
          }
        }
      }
      try inflater.finish()
      #expect(total == 64_000_000)
      #expect(largest <= 1 << 18)
    }
  }

  @Test func skippedRowsGoToAFileOfTheSameFormat() throws {
    let place = try Workplace()
    try place.write("key;width;height\na;1;2\nb;0;4\n\"c\nd\";x;4\n", to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "d", "--rejects", "skipped.csv")
    #expect(try place.read("skipped.csv") == "key;width;height\nb;0;4\n\"c\nd\";x;4\n")
    try place.expect(65, "import", "skipped.csv", "--dataset", "e", saying: ["line 2"])
    try place.write(
      #"[{"key":"a","width":1,"height":2},"# + "\n"
        + #"{"key":"b",\#n "width":0,"height":1}, 7]"#.replacing("\\#n", with: "\n"),
      to: "feed.json")
    try place.expect(0, "import", "feed.json", "--dataset", "f", "--rejects", "skipped.ndjson")
    #expect(
      try place.read("skipped.ndjson") == #"{"key":"b",  "width":0,"height":1}"# + "\n7\n")
    try place.write("key,width,height\na,1,2\n", to: "good.csv")
    try place.expect(0, "import", "good.csv", "--dataset", "g", "--rejects", "none.csv")
    #expect(try place.read("none.csv") == "key,width,height\n")
    try place.expect(
      64, "import", "good.csv", "--dataset", "h", "--rejects", "./good.csv", saying: ["another"])
    #expect(try place.read("good.csv") == "key,width,height\na,1,2\n")
    try place.expect(
      64, "import", "good.csv", "--dataset", "h", "--rejects", "x", "--on-invalid", "fail")
  }

  @Test func shellCompletionListsExistingNames() throws {
    let place = try Workplace.withFeed()
    try place.expect(0, "dataset", "create", "fern")
    func names(_ option: String, _ words: String...) throws -> [Substring] {
      let run = try place.run(["---completion", "query", "--", option, "3", "0"] + words)
      #expect(run.errorOutput.isEmpty)
      return run.output.split(separator: "\n")
    }
    #expect(try names("--dataset", "layoutcache", "query", "--dataset", "") == ["feed", "fern"])
    #expect(try names("--layout", "layoutcache", "query", "--layout", "") == ["phone"])
    #expect(
      try names("--layout", "layoutcache", "--dataset=fern", "query", "--layout", "").isEmpty)
    #expect(
      try names("--dataset", "layoutcache", "--database", "none.sqlite", "--dataset", "").isEmpty)
    #expect(!place.exists("none.sqlite"))
  }
}
