import Foundation
import Testing

/// `import --check`: all problems in one pass, and a command that works.
@Suite struct ImportCheckTests {
  /// Runs the command that a check prints, and returns it.
  private func runPrinted(_ report: String, in place: Workplace) throws -> String {
    let command = try #require(
      report.split(separator: "\n").last?.trimmingCharacters(in: .whitespaces))
    #expect(command.hasPrefix("layoutcache import "), "\(report)")
    let words = command.replacing("layoutcache", with: "$LAYOUTCACHE", maxReplacements: 1)
    let result = try place.shell(words)
    #expect(result.exitCode == 0, "\(command): \(result.errorOutput)")
    return command
  }

  @Test func ndjsonWithOtherNamesGetsACommand() throws {
    let place = try Workplace()
    let rows = (0..<20).map { #"{"sku":"s\#($0)","w":\#($0 + 1),"h":4,"name":"n"}"# }
    try place.write(rows.joined(separator: "\n"), to: "rows.ndjson")
    let check = try place.run(["import", "rows.ndjson", "--check"])
    #expect(check.exitCode == 1 && check.output.contains("key is missing"), "\(check.output)")
    #expect(check.errorOutput.contains("cannot be imported as it is"))
    let command = try runPrinted(check.output, in: place)
    #expect(command.contains("--key sku --width w --height h"))
  }

  @Test func allMissingColumnsAreNamedAtOnce() throws {
    let place = try Workplace()
    try place.write("key,width,height,titel,yaer\na,1,2,t,1997\n", to: "a.csv")
    try place.expect(
      65, "import", "a.csv", "--dataset", "d", "--section", "year", "--data", "title,artist",
      saying: [
        "no columns are named 'year' (did you mean 'yaer'?), 'title' (did you mean 'titel'?), "
          + "'artist'; the columns are 'key', "
      ])
  }

  @Test func allProblemsOfARowAreCounted() throws {
    let place = try Workplace()
    try place.write(
      "key,width,height,span\na,1,2,\nb,0,x,many\n,y,-3,1\nc,0,2,70000\n", to: "a.csv")
    let report = try place.run(["import", "a.csv", "--check"]).output
    #expect(report.contains("3 rows with problems:"), "\(report)")
    for (count, reason, lines) in [
      (1, "height is not a number", "3"), (1, "span is not an integer", "3"),
      (2, "width is not above 0", "3, 5"), (1, "key is empty", "4"),
      (1, "width is not a number", "4"), (1, "height is not above 0", "4"),
      (1, "span is too large", "5"),
    ] {
      let row = report.split(separator: "\n").first { $0.contains(reason) }
      let words = row?.split(separator: " ") ?? []
      #expect(words.first == "\(count)" && row?.hasSuffix("  \(lines)") == true, "\(report)")
    }
  }

  @Test func theCommandHasTheOptionsThatWereGiven() throws {
    let place = try Workplace()
    let rows = (0..<30).map { "k\($0),1,2\n" }.joined()
    try place.write("id,width,height\n" + rows + "k7,3,4\nb,0,1\n", to: "a.csv")
    try place.expect(0, "dataset", "create", "d", "--database", "my feeds.sqlite")
    let check = try place.run([
      "import", "a.csv", "--check", "--dataset", "d", "--replace", "--allow-empty", "--rejects",
      "r.csv", "--on-duplicate", "update", "--database", "my feeds.sqlite",
    ])
    let command = try runPrinted(check.output, in: place)
    for part in [
      " --key id", " --replace", " --allow-empty", " --rejects r.csv", " --on-duplicate update",
      " --database 'my feeds.sqlite'",
    ] {
      #expect(command.contains(part), "\(command)")
    }
    #expect(try place.read("r.csv") == "id,width,height\nb,0,1\n")
  }

  @Test func anExistingDatasetIsReportedWithACommandForIt() throws {
    let place = try Workplace()
    try place.write("key,width,height\na,1,2\na,3,4\n", to: "a.csv")
    try place.expect(0, "dataset", "create", "a")
    try place.expect(0, "dataset", "create", "museum")
    let check = try place.run(["import", "a.csv", "--check"])
    #expect(check.exitCode == 1 && check.output.contains("dataset 'a' exists: --match makes"))
    let command = try runPrinted(check.output, in: place)
    #expect(command.hasSuffix("--match --on-duplicate skip"), "\(command)")
    try place.expect(
      66, "import", "a.csv", "--check", "--append", "--dataset", "musuem",
      saying: ["did you mean 'museum'?"])
    let appending = try place.run(["import", "a.csv", "--check", "--append", "--dataset", "a"])
    #expect(appending.output.contains("--append --on-duplicate skip"), "\(appending.output)")
  }
}
