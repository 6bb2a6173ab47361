import ArgumentParser
import Foundation

struct FeedCommand: ParsableCommand {
  static let itemsDefault = [10_000, 100_000, 1_000_000]
  static let editsRange = 1...1_000_000

  static let configuration = CommandConfiguration(
    commandName: "feed",
    abstract: "Measure a feed beside plain arrays, SQL by hand and bare commits",
    discussion: """
      A waterfall of five columns in a container of 1,000 by 1,000 points; items 100 to 499 \
      points high, with keys of 12 bytes; viewports and changes at random places. The engine and \
      its baselines take turns, and every answer is compared with the plain arrays'. Times are \
      microseconds. Plain arrays hold an array a column in memory: once they make the same \
      answer as the engine, with keys, and once they only count what is visible. SQL by hand has \
      a row an item and an index on column and position; a bare commit is one fresh row of 256 \
      bytes. The targets are meant for 1,000,000 items and judged from there on.

      With --kinds it measures flow, justified and grid instead, beside laying them out from \
      scratch: items 100 points wide and 100 to 499 high, scaled to one length in the first \
      layout. The second, of items as wide as each other, is the worst case of a flow: an insert \
      at its start breaks every line again.

      The databases are made in a folder of their own, which is removed at the end.
      """)

  @Flag(help: "Print JSON instead of tables")
  var json = false

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
    let progress = ProgressLine()
    defer { progress.clear() }
    func announce(_ size: Int) -> (String) throws -> Void {
      { stage in
        try interruption.check()
        progress.show("\(plural(size, "item")), \(stage)")
      }
    }
    func show(_ text: String) throws {
      progress.clear()
      if !json { try StandardOutput.write(text) }
    }
    let counts = items.isEmpty ? Self.itemsDefault : items.flatMap(\.counts)
    if kinds {
      let sizes = try counts.map { count in
        let size = try KindBenchRun.measure(
          itemCount: count, folder: folder, announce: announce(count))
        try show(size.text)
        return size
      }
      try show(TextStyle.note(Machine.text) + "\n")
      if json { try StandardOutput.write(KindBenchSize.json(sizes).encoded + "\n") }
    } else {
      var report = BenchReport(edits: edits)
      for count in counts {
        let size = try BenchRun.report(
          itemCount: count, edits: edits, folder: folder, announce: announce(count))
        report.sizes.append(size)
        try show(size.text)
      }
      try show(report.summary)
      if json { try StandardOutput.write(report.json.encoded + "\n") }
    }
  }
}
