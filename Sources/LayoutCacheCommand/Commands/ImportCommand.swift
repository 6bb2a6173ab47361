import ArgumentParser
import LayoutCache
import TextFormats

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import items from a CSV, TSV or NDJSON file into a dataset",
    discussion: """
      CSV and TSV need a header row; NDJSON is an object a line. Sections come in order of first \
      appearance; items without one go to the section "main". Everything is stored in one \
      transaction, or nothing is. A header alone, or an empty NDJSON file, makes an empty dataset.

      With --on-duplicate update a row whose key is there already, in the dataset or in an \
      earlier row, gives its item another size, and another span and data where it states \
      them; the item stays where it is.

      What items carry, a JSON object of at most 4 KiB each, is read from the column or member \
      "data", or, with --data, made of several: texts of CSV and TSV become strings, empty \
      ones are left out, and an item with none has no data.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The file, or - for standard input")
  var file: String

  @Option(
    help: """
      The file's format (default: by its ending, .csv, .tsv, .tab, .ndjson, .jsonl or .json)
      """)
  var format: TextFormat?

  @Option(help: "The column or member with the item's key")
  var key = "key"

  @Option(help: "The column or member with the natural width")
  var width = "width"

  @Option(help: "The column or member with the natural height")
  var height = "height"

  @Option(help: "The column or member with the section's key (default: section, if there)")
  var section: String?

  @Option(help: "The column or member with the column span (default: span, if there)")
  var span: String?

  @Option(
    help: ArgumentHelp(
      "The columns or members that items carry (default: the object in data, if there)",
      valueName: "column,..."),
    transform: dataNames)
  var data: [String] = []

  @Option(help: "What to do about rows that state no proper item")
  var onInvalid = ItemImport.InvalidRows.fail

  @Option(help: "What to do about rows whose key is there already")
  var onDuplicate = Duplicates.fail

  @Flag(help: "Add the items to a dataset that exists")
  var append = false

  @Flag(help: "Replace the items of a dataset that exists")
  var replace = false

  /// ``DuplicateRows`` as a flag's value.
  enum Duplicates: String, CaseIterable, ExpressibleByArgument {
    case fail, skip, update

    var rows: DuplicateRows {
      switch self {
      case .fail: .fail
      case .skip: .skip
      case .update: .update
      }
    }
  }

  func validate() throws {
    if append && replace { throw ValidationError("--append and --replace exclude each other") }
    _ = try inputFormat()
  }

  func run() throws {
    // Before the database, so that a wrong file name does not leave one behind.
    let input = try InputFile(file)
    let work = ItemImport(
      dataset: datasetOption.dataset, mode: append ? .append : replace ? .replace : .create,
      format: try inputFormat(), fields: fields, invalidRows: onInvalid,
      duplicateRows: onDuplicate.rows)
    var progress = ProgressLine("import")
    defer { progress.clear() }
    let outcome = try database.withCache(createsFile: true) { cache in
      try work.run(into: cache, from: input.name) { body in
        let hasRead = try input.readPiece(body)
        if hasRead {
          progress.show(bytesRead: input.bytesRead, of: input.byteCount)
        } else {
          progress.show(stage: "building the dataset")
        }
        return hasRead
      }
    }
    progress.clear()
    if output.json {
      try StandardOutput.printJSON { $0.value(outcome, dataset: work.dataset) }
    } else {
      var standardOutput = StandardOutput()
      try standardOutput.write(outcome.description(dataset: work.dataset, .of()))
      try standardOutput.flush()
    }
  }

  private var fields: FieldNames {
    FieldNames(
      key: key, width: width, height: height,
      section: section.map { .required($0) } ?? .ifPresent("section"),
      span: span.map { .required($0) } ?? .ifPresent("span"),
      data: data.isEmpty ? .object("data") : .members(data))
  }

  private func inputFormat() throws -> TextFormat {
    if let format { return format }
    guard let format = TextFormat(ofFile: file) else {
      throw ValidationError(
        file == InputFile.standardInput
          ? "standard input has no ending that tells its format; give it with --format"
          : "the ending of '\(file)' does not tell its format; give it with --format")
    }
    return format
  }
}

extension ItemImport.InvalidRows: ExpressibleByArgument {}

/// Reads names with commas between them.
private func dataNames(_ text: String) throws -> [String] {
  let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  if names.contains("") { throw ValidationError("a name is missing; they are A,B,C") }
  for (index, name) in names.enumerated() where names[..<index].contains(name) {
    throw ValidationError("'\(name)' is there twice")
  }
  return names
}
