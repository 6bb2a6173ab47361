import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct ExportCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case csv, ndjson
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a dataset's items to standard output",
    discussion: """
      Importing the output again creates an equal dataset, without its empty sections. NDJSON \
      contains the data of items with its types; CSV does with --data. Not exported are layouts, \
      marks, the log, and the lengths that clients measured for layouts: --preferred-lengths writes those, as a batch for \
      'update' once the layouts are set. 'backup' copies the whole file.

      Examples:
        layoutcache export --dataset tate --format ndjson
        layoutcache export --dataset tate --preferred-lengths
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption

  @Option(help: "The output's format (default: csv)")
  var format: Format?

  @Flag(help: "Add a CSV column \"data\" with the items' data as JSON text")
  var data = false

  @Flag(help: "Write the lengths measured by clients instead of the items, as a batch in NDJSON")
  var preferredLengths = false

  func validate() throws {
    if preferredLengths && (data || format == .csv) {
      throw ValidationError("--preferred-lengths writes a batch; leave out --data and --format csv")
    }
  }

  func run() throws {
    try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      if preferredLengths { return try exportPreferredLengths(dataset, from: cache) }
      var output = StandardOutput()
      let format = format ?? .csv
      let textFormat: TextFormat = format == .csv ? .csv : .ndjson
      var writer = ItemWriter(format: textFormat)
      let withData = data || format == .ndjson
      try cache.exportItems(of: dataset, withData: withData) { contents in
        writer = ItemWriter(
          format: textFormat, withHidden: contents.hidden, withStyles: contents.styles,
          withData: data)
      } _: { section, item in
        writer.write(
          key: item.key, width: item.size.width.points, height: item.size.height.points,
          section: section.key, span: item.columnSpan, visibility: item.visibility,
          style: section.style, data: item.data)
        try output.write(writer.takeBytes())
      }
      // A dataset without items still has the header.
      try output.write(writer.takeBytes())
      try output.flush()
    }
  }

  private func exportPreferredLengths(_ dataset: String, from cache: LayoutCache) throws {
    var output = StandardOutput()
    try cache.forEachMeasuredLength(of: dataset) { operation in
      try output.write(operation.line)
    }
    try output.flush()
  }
}
