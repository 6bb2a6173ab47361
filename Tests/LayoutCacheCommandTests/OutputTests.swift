import Foundation
import Testing

struct OutputTests {
  @Test func outputOtherThanATerminalHasNoColour() throws {
    let place = try Workplace.withFeed()
    for environment in [[:], ["NO_COLOR": "1"], ["TERM": "xterm-256color"]] {
      let run = try place.run(
        ["query", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,9,9", "--explain"],
        environment: environment)
      #expect(run.exitCode == 0)
      #expect(!run.output.utf8.contains(0x1B))
    }
  }

  #if os(Linux)
    /// `script` gives the program a terminal.
    @Test(
      .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")),
      arguments: [(["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false)])
    func terminalHasColourUnlessRefused(_ environment: [String: String], isColoured: Bool) throws {
      let place = try Workplace.withFeed()
      let text = try place.onTerminal(["datasets"], environment: environment)
      #expect(text.contains("feed"))
      #expect(text.utf8.contains(0x1B) == isColoured)
    }
  #endif

  @Test func keysThatWouldReorderTheirRowAreShownMarked() throws {
    let place = try Workplace()
    try place.write("key,width,height\nev\u{202E}il,1,1\n", to: "x.csv")
    try place.expect(0, "import", "x.csv", "--dataset", "d")
    try place.expect(0, "layout", "set", "l", "--dataset", "d", "--width", "9")
    let table = try place.expect(0, "query", "--dataset", "d", "--layout", "l", "--rect", "0,0,9,9")
    #expect(table.output.contains("ev\u{FFFD}il"))
    // JSON contains the key unchanged.
    let json = try place.expect(
      0, "query", "--dataset", "d", "--layout", "l", "--rect", "0,0,9,9", "--json")
    #expect(json.output.contains("ev\u{202E}il"))
  }

  @Test func shownConfigurationCanBeSetAgain() throws {
    let place = try Workplace.withFeed()
    let shown = try place.expect(0, "layout", "show", "phone", "--dataset", "feed")
    try place.write(shown.output, to: "phone.json")
    try place.expect(
      0, "layout", "set", "copy", "--dataset", "feed", "--config", "phone.json")
    let copy = try place.expect(0, "layout", "show", "copy", "--dataset", "feed")
    #expect(copy.output == shown.output)
  }

  @Test func preparedLayoutIsUpToDate() throws {
    let place = try Workplace.withFeed()
    let first = try place.expect(0, "prepare", "--dataset", "feed")
    #expect(first.output.contains("laid out"))
    let second = try place.expect(0, "prepare", "--dataset", "feed")
    #expect(second.output.contains("up to date"))
    let sections = try place.expect(
      0, "sections", "--dataset", "feed", "--layout", "phone", "--json")
    #expect(sections.output.contains(#""start":230,"length":82.5"#))
  }

  @Test func soundDatabaseVerifies() throws {
    let place = try Workplace.withFeed()
    try place.expect(0, "prepare", "--dataset", "feed")
    let report = try place.expect(0, "verify", "--json")
    #expect(report.output.contains(#""problems":[]"#))
  }

  @Test func damagedDatabaseFailsTheCheck() throws {
    let place = try Workplace.withFeed()
    try place.sql("UPDATE nodes SET payload = zeroblob(length(payload))")
    let report = try place.run(["verify"])
    #expect(report.exitCode == 1)
    #expect(report.output.contains("dataset feed"))
    #expect(report.errorLines.count == 1)
  }

  @Test func pictureIsProperXML() throws {
    let place = try Workplace()
    try place.write("key,width,height,section\n\"<a> & \"\"b\"\"\",1,1,\"s<&>\"\n", to: "x.csv")
    try place.expect(0, "import", "x.csv", "--dataset", "d")
    try place.expect(
      0, "layout", "set", "l", "--dataset", "d", "--width", "200", "--columns", "1",
      "--header", "30")
    try place.expect(
      0, "render", "--dataset", "d", "--layout", "l", "--rect", "0,0,200,300", "-o", "x.svg")
    let svg = try place.read("x.svg")
    #expect(svg.contains("&lt;a&gt; &amp; &quot;b&quot;"))
    #expect(svg.contains("s&lt;&amp;&gt;"))
    #expect(svg.hasSuffix("</svg>\n"))
  }

  @Test func closedPipeEndsTheExportQuietly() throws {
    let place = try Workplace()
    let rows = (0..<20_000).map { "key-\($0),1,1" }.joined(separator: "\n")
    try place.write("key,width,height\n" + rows + "\n", to: "many.csv")
    try place.expect(0, "import", "many.csv", "--dataset", "many")
    let run = try place.shell("\"$LAYOUTCACHE\" export --dataset many | head -n 1")
    #expect(run.output == "key,width,height,section,span\n")
    #expect(run.errorOutput.isEmpty)
  }
}
