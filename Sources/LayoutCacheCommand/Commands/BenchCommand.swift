import ArgumentParser
import BenchmarkBaselines
import Foundation

struct BenchCommand: ParsableCommand {
  static let itemsDefault = [10_000, 100_000, 1_000_000]
  static let itemsRange = 1_000...100_000_000
  static let editsRange = 1...1_000_000

  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure this machine beside plain arrays, SQL by hand and bare commits",
    discussion: """
      A waterfall of five columns in a container of 1,000 by 1,000 points; items 100 to 499 \
      points high, with keys of 12 bytes; viewports and changes at random places. The engine and \
      its baselines take turns, and every answer is compared with the plain arrays'. Times are \
      microseconds. Plain arrays hold an array a column in memory and only count what is visible; \
      SQL by hand has a row an item and an index on column and position; a bare commit is one \
      fresh row of 256 bytes. The targets are meant for 1,000,000 items and judged from there on.

      With --kinds it measures flow, justified and grid instead, beside laying them out from \
      scratch: items 100 points wide and 100 to 499 high, scaled to one length in the first \
      layout. The second, of items as wide as each other, is the worst case of a flow: an insert \
      at its start breaks every line again.

      The databases are made in a folder of their own, which is removed at the end.
      """)

  @OptionGroup var output: FormatOption

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The numbers of items, one or more, and again (default: 10000,100000,1000000)",
      valueName: "n,..."),
    transform: ItemCounts.init)
  var items: [ItemCounts] = []

  @Option(
    parsing: .unconditional,
    help: "The changes of the longest run; the other rows have a part of that, or twice that")
  var edits = 10_000

  @Flag(help: "Measure flow, justified and grid instead of the waterfall; --edits has no say then")
  var kinds = false

  @Option(
    help: ArgumentHelp(
      "Where to make the databases (default: the system's temporary folder)", valueName: "path"))
  var directory: String?

  func validate() throws {
    if directory == "" { throw ValidationError("--directory is empty; name a folder") }
    if !Self.editsRange.contains(edits) {
      throw ValidationError(
        "--edits is \(Self.editsRange.lowerBound) to \(Self.editsRange.upperBound)")
    }
  }

  func run() throws {
    let interruption = Interruption()
    defer { interruption.end() }
    let folder = try BenchFolder(in: directory ?? NSTemporaryDirectory())
    defer { folder.remove() }
    var progress = ProgressLine("bench")
    defer { progress.clear() }
    let sizes = items.isEmpty ? Self.itemsDefault : items.flatMap(\.counts)
    func announce(_ size: Int, _ stage: String) throws {
      try interruption.check()
      progress.show(stage: "\(plural(size, "item")), \(stage)")
    }
    if kinds {
      var measured: [KindBenchSize] = []
      for size in sizes {
        let kinds = try KindBenchRun.measure(itemCount: size, folder: folder) {
          try announce(size, $0)
        }
        measured.append(kinds)
        progress.clear()
        if !output.json { try kinds.print() }
      }
      if output.json { return try StandardOutput.printJSON { $0.value(measured) } }
      return try StandardOutput.printLine(TextStyle.of().note(BenchReport.machine))
    }
    var report = BenchReport(edits: edits)
    do {
      for size in sizes {
        let measured = try BenchRun.report(itemCount: size, edits: edits, folder: folder) {
          try announce(size, $0)
        }
        report.sizes.append(measured)
        progress.clear()
        if !output.json { try measured.print() }
      }
    } catch let error as BaselineError {
      throw Failure(.inputOutput, error.description)
    }
    if output.json {
      try StandardOutput.printJSON { $0.value(report) }
    } else {
      try report.printSummary()
    }
  }
}

/// Numbers of items as an option states them, separated by commas.
struct ItemCounts {
  let counts: [Int]

  init(_ text: String) throws {
    counts = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      guard let count = Int(part.trimmingSpaces), BenchCommand.itemsRange.contains(count) else {
        throw ValidationError(
          """
          '\(part)' is not a number from \(BenchCommand.itemsRange.lowerBound) to \
          \(BenchCommand.itemsRange.upperBound)
          """)
      }
      return count
    }
  }
}
