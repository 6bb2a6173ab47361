import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct ExportCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case csv, ndjson
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a dataset's items to standard output",
    discussion: """
      Importing the output again gives an equal dataset, less its empty sections; what items \
      carry is in NDJSON always, and in CSV with --data.

      Example:
        layoutcache export --dataset tate --format ndjson
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption

  @Option(help: "The output's format")
  var format = Format.csv

  @Flag(help: "Write a CSV column \"data\" with the JSON text of what the items carry")
  var data = false

  func run() throws {
    try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      var output = StandardOutput()
      var writer = ItemWriter(format: format == .csv ? .csv : .ndjson, withData: data)
      let withData = data || format == .ndjson
      try cache.forEachItem(of: dataset, withData: withData) { section, item in
        writer.write(
          key: item.key, width: item.size.width.points, height: item.size.height.points,
          section: section, span: item.columnSpan, data: item.data)
        try output.write(writer.takeBytes())
      }
      // A dataset without items still has the header.
      try output.write(writer.takeBytes())
      try output.flush()
    }
  }
}
