import Foundation
import TestSupport
import Testing

/// Commands that choose the columns of a file.
@Suite struct OpenCommandTests {
  private static let products =
    "product_id;product_name;w;h;created\n"
    + (0..<30).map { "P\($0);\"Lamp; \($0)\";\($0);40;2024-0\($0 / 10 + 1)-02" }
    .joined(separator: "\n")

  @Test func openServesTheFileAndFollowsItsChanges() throws {
    let place = try Workplace()
    try place.write(Self.products, to: "products.csv")
    let script = """
      layoutcache open products.csv --no-browser > out & id=$!
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
      let command = line
      let result = try place.shell(String(command))
      #expect(result.exitCode == 0, "\(line): \(result.errorOutput)")
    }
  }

  @Test func oneRepeatedKeyIsSkippedInEachRun() throws {
    let place = try Workplace()
    try place.write(Self.products + "\nP1;again;5;6;2024-01-01\n", to: "products.csv")
    let script = """
      layoutcache open products.csv --no-browser > out & id=$!
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
        let words = command
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
      DISPLAY=:9 PATH="$PWD/bin:$PATH" layoutcache open products.csv > out & id=$!
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
        layoutcache open a.csv --no-browser \(arguments) > out 2> error & id=$!
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
}
