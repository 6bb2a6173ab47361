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
    var report = BenchReport(edits: edits)
    let sizes = items.isEmpty ? Self.itemsDefault : items.flatMap(\.counts)
    do {
      for size in sizes {
        let measured = try BenchRun.report(itemCount: size, edits: edits, folder: folder) {
          try interruption.check()
          progress.show(stage: "\(plural(size, "item")), \($0)")
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
