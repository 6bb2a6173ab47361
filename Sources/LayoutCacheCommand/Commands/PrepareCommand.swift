import ArgumentParser
import CollectionLayout
import LayoutCache
import TextFormats

struct PrepareCommand: ParsableCommand {
  private struct Result {
    var layout: String
    var revision: Int
    var work: Work
    var duration: Duration
  }

  private enum Work: String {
    case upToDate = "up to date"
    case caughtUp = "caught up"
    case laidOut = "laid out"

    init(_ preparation: Preparation) {
      guard let context = preparation.context else {
        self = .upToDate
        return
      }
      self = context.invalidateEverything ? .laidOut : .caughtUp
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "prepare",
    abstract: "Bring layouts up to date with their dataset",
    discussion: "Queries do that by themselves; this does it ahead of time.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Option(help: "The layout (default: all of the dataset)", transform: layoutName)
  var layout: String?

  func run() throws {
    let dataset = datasetOption.dataset
    let results = try database.withCache { cache in
      let names = try layout.map { [$0] } ?? cache.layouts(of: dataset).map(\.name)
      return try names.map { name in
        let start = ContinuousClock.now
        let preparation = try cache.prepare(layout: name, of: dataset)
        return Result(
          layout: name, revision: preparation.revision, work: Work(preparation),
          duration: start.duration(to: .now))
      }
    }
    if output.json { return try printJSON(results) }
    if results.isEmpty {
      return try StandardOutput.printLine("dataset '\(dataset)' has no layouts")
    }
    var table = Table([.text("layout"), .number("revision"), .text("work"), .number("time")])
    for result in results {
      table.add([
        result.layout, String(result.revision), result.work.rawValue,
        result.duration.inMilliseconds,
      ])
    }
    try table.print()
  }

  private func printJSON(_ results: [Result]) throws {
    try StandardOutput.printJSON { json in
      json.beginObject()
      json.member("dataset", datasetOption.dataset)
      json.member("layouts", of: results) { json, result in
        json.beginObject()
        json.member("layout", result.layout)
        json.member("revision", result.revision)
        json.member("laidOut", result.work == .laidOut)
        json.member("caughtUp", result.work == .caughtUp)
        json.member("microseconds", result.duration.wholeMicroseconds)
        json.endObject()
      }
      json.endObject()
    }
  }
}
