import Foundation
import TestSupport
import Testing

/// Commands that choose the columns of a file.
@Suite struct OpenCommandTests {
  private static let products =
    "product_id;product_name;w;h;created\n"
    + (0..<30).map { "P\($0);\"Lamp; \($0)\";\($0);40;2024-0\($0 / 10 + 1)-02" }
    .joined(separator: "\n")

  @Test func checkReportsAllProblemsAndTheCommandThatImports() throws {
    let place = try Workplace()
    try place.write(Self.products + "\nP1;again;5;6;2024-01-01\n", to: "products.csv")
    let check = try place.run(["import", "products.csv", "--check"])
    #expect(check.exitCode == 1 && check.errorOutput.contains("nothing was imported"))
    let report = check.output
    for part in ["31 rows", "width is not above 0", "2", "duplicate key", "32"] {
      #expect(report.contains(part), "\(report)")
    }
    #expect(try place.run(["datasets"]).exitCode == 66)
    let command = try #require(
      report.split(separator: "\n").last?.trimmingCharacters(in: .whitespaces))
    #expect(
      command.hasPrefix("layoutcache import products.csv --dataset products --key product_id"))
    let words = command.replacing("layoutcache", with: "$LAYOUTCACHE", maxReplacements: 1)
    let result = try place.shell(words)
    #expect(result.exitCode == 0, "\(result.errorOutput)")
    #expect(try place.run(["datasets"]).output.contains("29"))
  }

  @Test func fileThatIsFineIsReportedAsSuch() throws {
    let place = try Workplace()
    try place.write("key,width,height\na,1,2\n", to: "a.csv")
    #expect(try place.expect(0, "import", "a.csv", "--check").output.contains("no problems"))
    let json = try place.expect(0, "import", "a.csv", "--check", "--json").output
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(object?["rows"] as? Int == 1 && object?["invalid"] as? Int == 0)
    #expect(object?["command"] as? String == "layoutcache import a.csv --dataset a")
    try place.expect(0, "import", "a.csv", "--dataset", "a")
  }

  @Test func guessedColumnsAreImportedAndNamedOnesAreKept() throws {
    let place = try Workplace()
    try place.write(Self.products, to: "products.csv")
    try place.expect(65, "import", "products.csv", "--guess", saying: ["line 2", "width"])
    let output = try place.expect(
      0, "import", "products.csv", "--guess", "--on-invalid", "skip", "--section", "product_name"
    ).output
    #expect(output.contains("created") == false && output.contains("dataset 'products'"))
    #expect(try place.run(["sections"]).output.contains("Lamp; 1"))
  }

  @Test func wrongNamesOfFilesAreExplained() throws {
    let place = try Workplace()
    try place.write(#"{"key":"a","width":1,"height":2}"#, to: "lines.csv")
    try place.write("key,width,height\na,1,2\n", to: "rows.ndjson")
    try place.write(Data("key,width,height,t\na,1,2,Caf".utf8) + [0xE9, 0x0A], to: "latin.csv")
    try place.write(
      try #require("key,width,height\na,1,2\n".data(using: .utf16)), to: "wide.csv")
    try place.expect(
      65, "import", "lines.csv", "--dataset", "d", saying: ["--format ndjson"])
    try place.expect(65, "import", "rows.ndjson", "--dataset", "d", saying: ["--format csv"])
    try place.expect(65, "import", "latin.csv", "--dataset", "d", saying: ["iconv -f latin1"])
    try place.expect(65, "import", "wide.csv", "--dataset", "d", saying: ["iconv -f utf-16"])
    for command in [["import", "--dataset", "d"], ["open"]] {
      let run = try place.run(command + ["https://a.example/x.csv"])
      #expect(run.exitCode == 66)
      #expect(run.errorOutput.contains("curl -LO https://a.example/x.csv"), "\(run.errorOutput)")
    }
    try place.write(
      try #require("{\"key\":\"a\"}\n".data(using: .utf16LittleEndian)), to: "wide.ndjson")
    for name in ["wide.ndjson", "wide.csv"] {
      try place.expect(
        65, "import", name, "--guess", saying: ["UTF-16", "iconv -f utf-16 -t utf-8 \(name)"])
    }
    try place.write(
      Data([0xEF, 0xBB, 0xBF]) + Data("{\"key\":\"a\",\"width\":1,\"height\":2}\n".utf8),
      to: "marked.csv")
    try place.expect(65, "import", "marked.csv", "--dataset", "d", saying: ["--format ndjson"])
    try place.expect(66, "import", "lines.csw", "--dataset", "d", saying: ["'lines.csv'?"])
    for (opening, phrase) in [
      ("PK\u{3}\u{4}", "an .xlsx workbook, not"),
      ("<!DOCTYPE html>", "HTML or XML"), ("%PDF-1.7", "a PDF"),
    ] {
      for ending in ["csv", "json", "xlsx"] {
        try place.write(opening + " something", to: "other.\(ending)")
        try place.expect(65, "import", "other.\(ending)", "--dataset", "d", saying: [phrase])
      }
    }
    // Their contents decide where columns are guessed.
    try place.expect(0, "import", "lines.csv", "--guess")
    try place.expect(0, "import", "rows.ndjson", "--guess")
  }

  @Test func openServesTheFileAndFollowsItsChanges() throws {
    let place = try Workplace()
    try place.write(Self.products, to: "products.csv")
    let script = """
      $LAYOUTCACHE open products.csv --no-browser > out & id=$!
      for _ in $(seq 600); do grep -q http: out && break; sleep 0.1; done
      url=$(grep -o 'http://[^/]*' out)
      curl -sf "$url/v1/datasets/products/layouts/feed@1200/elements?rect=0,0,1200,800" > answer
      kill -TERM $id; wait $id
      """
    #expect(try place.shell(script).exitCode == 0)
    let answer = try String(contentsOfFile: place.folder.path(of: "answer"), encoding: .utf8)
    #expect(answer.contains(#""key":"P1""#), "\(answer)")
    let database = ["--database", "products.csv.sqlite"]
    #expect(try place.run(["datasets"] + database).output.contains("29"))
    try place.write(
      Self.products.replacing("P7;", with: "Q7;") + "\nP30;New;5;6;2024-05-05\n", to: "products.csv"
    )
    #expect(try place.shell(script).exitCode == 0)
    let log = try place.run(["log"] + database).output
    #expect(try place.run(["datasets"] + database).output.contains("30"), "\(log)")
    // By hand: the commands that it prints.
    let output = try String(contentsOfFile: place.folder.path(of: "out"), encoding: .utf8)
    let lines = output.split(separator: "\n").filter { $0.hasPrefix("  layoutcache ") }
    // The layout is the user's now: no command would replace it.
    #expect(lines.count == 2 && !output.contains("layout set"), "\(output)")
    for line in lines.dropLast() {
      let command = line.replacing("layoutcache", with: "$LAYOUTCACHE", maxReplacements: 1)
      let result = try place.shell(String(command))
      #expect(result.exitCode == 0, "\(line): \(result.errorOutput)")
    }
  }

  @Test func oneRepeatedKeyIsSkippedInEachRun() throws {
    let place = try Workplace()
    try place.write(Self.products + "\nP1;again;5;6;2024-01-01\n", to: "products.csv")
    let script = """
      $LAYOUTCACHE open products.csv --no-browser > out & id=$!
      for _ in $(seq 600); do grep -q http: out && break; sleep 0.1; done
      kill -INT $id; wait $id
      """
    for run in 1...2 {
      let result = try place.shell(script)
      #expect(result.exitCode == 0, "\(run): \(result.errorOutput)")
      let output = try place.read("out")
      #expect(output.contains("product_id"), "\(output)")
      #expect(output.contains("duplicate key"), "\(output)")
      // P0, which has no width, and the repeated row.
      #expect(output.contains("29 items"), "\(output)")
      let command = try #require(
        output.split(separator: "\n").first { $0.hasPrefix("  layoutcache import") })
      #expect(command.contains("--on-duplicate skip"))
      if run == 2 {
        let words = command.replacing("layoutcache", with: "$LAYOUTCACHE", maxReplacements: 1)
        #expect(try place.shell(String(words)).exitCode == 0)
      }
    }
  }

  @Test func openStartsTheBrowserWithTheAddressUntilInterrupted() throws {
    let place = try Workplace()
    try place.write(Self.products, to: "products.csv")
    let script = """
      mkdir bin
      printf '#!/bin/sh\necho "$1" > browser.new && mv browser.new browser' > bin/xdg-open
      chmod +x bin/xdg-open
      DISPLAY=:9 PATH="$PWD/bin:$PATH" $LAYOUTCACHE open products.csv > out & id=$!
      for _ in $(seq 600); do [ -e browser ] && break; sleep 0.1; done
      kill -INT $id; wait $id
      """
    let result = try place.shell(script)
    #expect(result.exitCode == 0, "\(result.errorOutput)")
    let address = try place.read("browser").trimmingCharacters(in: .newlines)
    #expect(address.hasSuffix("/?dataset=products&layout=feed"))
    #expect(try place.read("out").contains(address + "\nCtrl-C ends the service"))
  }

  /// For each number of items that stay, whether the dataset becomes equal to the file.
  @Test(arguments: [(300, true), (150, true), (149, false), (1, false), (0, false)])
  func openDeletesMostItemsOnlyWithReplace(kept: Int, isAccepted: Bool) throws {
    let place = try Workplace()
    func rows(_ keys: Range<Int>) -> String {
      "id,width,height\n" + keys.map { "k\($0),4,3\n" }.joined()
    }
    func open(_ arguments: String) throws -> Invocation {
      try place.shell(
        """
        export LAYOUTCACHE_DATABASE=mine.sqlite
        $LAYOUTCACHE open a.csv --no-browser \(arguments) > out 2> error & id=$!
        for _ in $(seq 600); do
          grep -q http: out && kill -TERM $id; kill -0 $id 2> kill || break; sleep 0.1
        done
        wait $id
        """)
    }
    func export(_ database: String) throws -> String {
      try place.expect(
        0, "export", "--dataset", "a", "--format", "csv", "--database", database
      ).output
    }
    for database in ["mine.sqlite", "a.csv.sqlite"] {
      try place.write(rows(0..<300), to: "a.csv")
      try place.expect(
        0, "import", "a.csv", "--dataset", "a", "--key", "id", "--database", database)
    }
    let before = try export("mine.sqlite")
    try place.write(rows(300 - kept..<310), to: "a.csv")
    #expect(try open("").exitCode == (isAccepted ? 0 : 65))
    let error = try place.read("error")
    #expect(error.isEmpty == isAccepted, "\(error)")
    for part in isAccepted ? [] : ["\(kept) of the 300 items", "a.csv.sqlite", "--replace"] {
      #expect(error.contains(part), "\(error)")
    }
    let changed = "\nk309,"
    #expect(try export("a.csv.sqlite").contains(changed) == isAccepted)
    // The database of the environment is another one.
    #expect(try export("mine.sqlite") == before)
    #expect(try open("--replace --database mine.sqlite").exitCode == 0)
    #expect(try export("mine.sqlite").contains(changed))
  }

  @Test func aDatabaseThatCannotBeWrittenIsNamedWithTheRemedy() throws {
    let place = try Workplace()
    try place.write(Self.products, to: "products.csv")
    #expect(try place.shell("ln -s missing/d.sqlite products.csv.sqlite").exitCode == 0)
    let run = try place.run(["open", "products.csv", "--no-browser"])
    #expect(run.exitCode == 74 && run.errorOutput.contains("--database"), "\(run.errorOutput)")
  }

  @Test func openRejectsWhatItCannotShow() throws {
    let place = try Workplace()
    try place.expect(64, "open", "-", saying: ["twice"])
    try place.expect(66, "open", "missing.csv", saying: ["no such file"])
    try place.write("", to: "empty.csv")
    try place.expect(65, "open", "empty.csv", saying: ["empty"])
    try place.write("id,width,height\n1,2,3,4\n", to: "none.csv")
    let none = try place.run(["open", "none.csv"])
    #expect(none.exitCode == 65 && none.errorOutput.contains("no valid item"))
    #expect(none.output.contains("too many fields"))
    try place.expect(64, "open", "none.csv", "--port", "70000")
    #expect(try place.run(["datasets"]).exitCode == 66)
  }
}
