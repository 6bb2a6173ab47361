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

    static var fields: [AnswerField<Self>] {
      [
        AnswerField("layout", \.layout), AnswerField("revision", \.revision),
        .table(.text("work"), \.work.rawValue),
        .json("laidOut") { $0.work == .laidOut },
        .json("caughtUp") { $0.work == .caughtUp },
        AnswerField(
          "microseconds", as: "time", \.duration.wholeMicroseconds,
          shown: \.duration.inMilliseconds),
      ]
    }
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
        let preparation = try cache.prepare(LayoutID(name, of: dataset))
        return Result(
          layout: name, revision: preparation.revision, work: Work(preparation),
          duration: start.duration(to: .now))
      }
    }
    try output.print(
      "layouts", results, Result.fields, whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }
}
