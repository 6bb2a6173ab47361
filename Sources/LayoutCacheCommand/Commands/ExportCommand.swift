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
      carry is in NDJSON always, and in CSV with --data. Layouts are not among it, nor what was \
      measured for them: --measured writes that, as lines for 'update' once the layouts are set. \
      'backup' copies all there is.

      Examples:
        layoutcache export --dataset tate --format ndjson
        layoutcache export --dataset tate --measured
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption

  @Option(help: "The output's format (default: csv)")
  var format: Format?

  @Flag(help: "Write a CSV column \"data\" with the JSON text of what the items carry")
  var data = false

  @Flag(help: "Write the lengths that were measured, in place of the items, as a batch in NDJSON")
  var measured = false

  func validate() throws {
    if measured && (data || format == .csv) {
      throw ValidationError("--measured writes a batch; leave --data and --format csv out")
    }
  }

  func run() throws {
    try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      if measured { return try exportMeasured(dataset, from: cache) }
      var output = StandardOutput()
      let format = format ?? .csv
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

  private func exportMeasured(_ dataset: String, from cache: LayoutCache) throws {
    var output = StandardOutput()
    try cache.forEachMeasuredLength(of: dataset) { operation in
      try output.write(operation.line)
    }
    try output.flush()
  }
}
