import ArgumentParser
import LayoutCache
import TextFormats

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "List the latest changes of a dataset",
    discussion: """
      The newest change comes first. Each has the time of its commit.

      Example:
        layoutcache log --limit 5
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Option(parsing: .unconditional, help: "The maximum number of changes")
  var limit = 20

  func validate() throws { if limit < 1 { throw ValidationError("--limit must be at least 1") } }

  func run() throws {
    let (dataset, entries) = try database.withDataset(datasetOption) {
      try $0.log(of: $1, limit: limit)
    }
    try output.print(
      "entries", entries, LogEntry.fields, whenEmpty: "the log of dataset '\(dataset)' is empty"
    ) { $0.member("dataset", dataset) }
  }
}
