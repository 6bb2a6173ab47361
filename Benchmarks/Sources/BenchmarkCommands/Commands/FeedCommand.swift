import ArgumentParser
import Foundation

struct FeedCommand: ParsableCommand {
  static let itemsDefault = [10_000, 100_000, 1_000_000]
  static let editsRange = 1...1_000_000

  static let configuration = CommandConfiguration(
    commandName: "feed",
    abstract: "Measure a feed compared with plain arrays, SQL by hand and bare commits",
    discussion: """
      A waterfall of five columns in a container of 1,000 by 1,000 points; items 100 to 499 \
      points high, with keys of 12 bytes; viewports and changes at random positions. The engine \
      and its baselines take turns, and every answer is compared with the plain arrays' answer. \
      Times are in microseconds. The baselines: plain arrays have one array per column in memory, \
      and either return the engine's answer, with keys, or only count the visible items; SQL by \
      hand has one row per item and an index on column and position; a bare commit inserts one \
      row of 256 bytes. The targets apply to 1,000,000 items or more.

      --kinds measures flow, justified and grid instead, compared with laying them out from \
      scratch. The items are 100 points wide and 100 to 499 high; the first flow scales them to \
      one length. The second flow, in which all items have the same width, is the worst case: an \
      insertion at the start changes every line.

      The databases are created in a temporary folder, which is removed at the end.
      """)

  @Flag(help: "Print JSON instead of tables")
  var json = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The numbers of items, separated by commas; may repeat (default: 10000,100000,1000000)",
      valueName: "n,..."),
    transform: ItemCounts.init)
  var items: [ItemCounts] = []

  @Option(
    parsing: .unconditional,
    help: "The number of changes of the longest run; other rows have a fraction of it, or double")
  var edits = 10_000

  @Flag(help: "Measure flow, justified and grid instead of the waterfall; ignores --edits")
  var kinds = false

  @Option(
    help: ArgumentHelp(
      "The folder for the databases (default: the system's temporary folder)", valueName: "path"))
  var directory: String?

  func validate() throws {
    if directory == "" { throw ValidationError("--directory is empty; name a folder") }
    if !Self.editsRange.contains(edits) {
      throw ValidationError(
        """
        --edits is \(edits); use \(Self.editsRange.lowerBound) to \(Self.editsRange.upperBound)
        """)
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
