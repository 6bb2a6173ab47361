import Foundation
import Testing
import TextFormats

@testable import LayoutCacheCommand

struct TerminalTests {
  @Test(arguments: [
    ("abc", 3), ("", 0), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("ｱ", 1), ("Ａ", 2),
    ("😀", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("⭐", 2), ("1️⃣", 2), ("✓", 1), ("\u{301}", 0),
  ])
  func wideCharactersCountTwice(text: String, width: Int) {
    #expect(terminalWidth(text) == width)
  }

  @Test func truncatedTextEndsWithAnEllipsisAndFits() {
    for text in ["abcdef", "日本語の本", "a日b本c", "😀😀😀", "é́é́é́é́"] {
      for width in 0...12 {
        let short = cut(text, toColumns: width)
        #expect(terminalWidth(short) <= width)
        #expect(short == text || short.hasSuffix("…") || width == 0)
        #expect((short == text) == (terminalWidth(text) <= width))
        let lines = wrapped(text, toColumns: max(2, width))
        #expect(lines.joined() == text)
        #expect(lines.allSatisfy { terminalWidth($0) <= max(2, width) })
      }
    }
    #expect(wrapped("one two three", toColumns: 8) == ["one two", "three"])
  }

  private static func table() -> Table {
    var table = Table([.number("item"), .text("key"), .text("title"), .number("width")])
    table.add(["7", "A00001", "Ophelia among the flowers, and 水の中の花 around her", "390"])
    table.add(["1234567", "b", "short", "1000000.5"])
    return table
  }

  @Test(arguments: 10...100) func tableFitsTheAvailableWidth(columns: Int) {
    let text = Self.table().lines(TextStyle.plain, columnsMax: columns)
    let lines = text.split(separator: "\n")
    // Names and numbers are never truncated, so there is a minimum width.
    for line in lines where columns >= 18 {
      #expect(terminalWidth(String(line)) <= columns, "\(columns): \(line)")
    }
    for number in ["1234567", "1000000.5"] where columns >= 18 {
      #expect(text.contains(number), "\(columns)")
    }
  }

  @Test func aNarrowTableHasAParagraphForEachRow() {
    let text = Self.table().lines(TextStyle.plain, columnsMax: 30)
    #expect(
      text == """
        item   7
        key    A00001
        title  Ophelia among the
               flowers, and 水の中の花
               around her
        width  390

        item   1234567
        key    b
        title  short
        width  1000000.5

        """)
  }

  @Test func longWordsAreTruncatedToFit() {
    let text = Self.table().lines(TextStyle.plain, columnsMax: 44)
    #expect(
      text == """
           item  key     title                 width
              7  A00001  Ophelia among t…        390
        1234567  b       short             1000000.5

        """)
  }

  /// Whether `script`, which gives the program a terminal, is installed.
  private static let hasScript =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

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

  @Test(
    .enabled(if: hasScript),
    arguments: [(["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false)])
  func terminalHasColourUnlessRefused(_ environment: [String: String], isColoured: Bool) throws {
    let place = try Workplace.withFeed()
    let text = try place.onTerminal("layoutcache datasets", environment: environment)
    #expect(text.contains("feed"))
    #expect(text.utf8.contains(0x1B) == isColoured)
  }

  @Test func closedPipeEndsTheExportQuietly() throws {
    let place = try Workplace()
    let rows = (0..<20_000).map { "key-\($0),1,1" }.joined(separator: "\n")
    try place.write("key,width,height\n" + rows + "\n", to: "many.csv")
    try place.expect(0, "import", "many.csv", "--dataset", "many")
    let run = try place.shell("layoutcache export --dataset many | head -n 1")
    #expect(run.output == "key,width,height,section,span\n")
    #expect(run.errorOutput.isEmpty)
  }

  @Test func tablesOfTheProgramFitColumns() throws {
    let place = try Workplace.withFeed()
    let query = ["query", "--rect", "0,0,220,400"]
    let whole = try place.run(query).output
    #expect(whole.split(separator: "\n").contains { $0.count > 44 })
    for columns in [44, 80] {
      for line in try place.run(query, environment: ["COLUMNS": "\(columns)"]).output
        .split(separator: "\n") where !line.contains("elements at revision")
      {
        #expect(line.count <= columns, "\(line)")
      }
    }
  }

  @Test(.enabled(if: hasScript)) func tablesOfTheProgramFitTheTerminalRatherThanColumns() throws {
    let place = try Workplace.withFeed()
    let seen = try place.onTerminal(
      "layoutcache query --rect 0,0,220,400", environment: ["COLUMNS": "200", "TERM": "dumb"],
      columns: 44)
    #expect(seen.contains("card"))
    for line in seen.split(whereSeparator: \.isNewline) where !line.contains("elements at") {
      #expect(line.count <= 44, "\(line)")
    }
  }

  @Test(.enabled(if: hasScript)) func progressIsShownOnlyOnATerminal() throws {
    let place = try Workplace()
    try place.write(
      """
      (
        echo key,width,height
        for _ in $(seq 600); do [ -e layoutcache.sqlite ] && break; sleep 0.05; done
        sleep 1.5
        echo a,1,2
      ) | layoutcache import - --dataset "$1"
      """, to: "slow.sh")
    let seen = try place.onTerminal("set -- one; . ./slow.sh", columns: 30)
    #expect(seen.contains("\r\u{1B}[Kimport: "), "\(seen)")
    for line in seen.components(separatedBy: "\r").flatMap({ $0.split(separator: "\n") })
    where line.hasPrefix("\u{1B}[Kimport:") {
      #expect(line.count <= 30 + 3, "\(line)")
    }
    let unseen = try place.shell("set -- two; . ./slow.sh")
    #expect(unseen.errorOutput.isEmpty)
  }

  @Test func interruptReportsThatNothingWasStored() throws {
    let place = try Workplace()
    let run = try place.shell(
      """
      mkfifo pipe
      layoutcache import - --dataset x < pipe &
      exec 3> pipe
      printf 'key,width,height\\na,1,2\\n' >&3
      while [ ! -e layoutcache.sqlite ]; do sleep 0.05; done
      kill -INT $!
      wait $!
      echo "ended with $?"
      """)
    #expect(run.output == "ended with 130\n")
    #expect(run.errorOutput == "layoutcache: interrupted; nothing was stored\n")
    #expect(try place.run(["datasets"]).output == "no datasets\n")
  }
}
