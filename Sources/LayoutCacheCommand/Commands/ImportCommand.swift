import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import items from a CSV, TSV, NDJSON or JSON file into a dataset",
    discussion: """
      CSV and TSV need a header row; the separator may also be a semicolon or a tab. NDJSON is one \
      object per line; one JSON array of objects is accepted too. Gzip files are decompressed. \
      Sections are created in order of first appearance; items without one go to the section \
      "main". The import is one transaction. A file with only a header, an empty array or an empty \
      NDJSON file creates an empty dataset; to remove all items of an existing dataset, --replace \
      and --match need --allow-empty.

      With --on-duplicate update, a row with an existing key, in the dataset or in an earlier \
      row, changes the size of its item, and the span and data if the row has them; the item \
      keeps its position.

      With --match the dataset becomes equal to the file, with as few moves as possible. Items \
      that do not change keep their measured lengths, and marks stay; items missing in the file \
      are removed. The result is one revision, or none if nothing differs.

      An item's data, a JSON object of at most 4 KiB, is read from the column or member "data", \
      or, with --data, built from several: values of CSV and TSV become strings, and empty values \
      are omitted. An item without values has no data.

      Examples:
        layoutcache import feed.csv --dataset art
        layoutcache import feed.csv --dataset tate --replace --rejects skipped.csv
        layoutcache import - --dataset tate --append --on-duplicate update
        layoutcache import feed.csv --dataset tate --match
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The file, or - for standard input", completion: .file())
  var file: String

  @Option(
    help: """
      The file's format (default: by its extension, .csv, .tsv, .tab, .ndjson, .jsonl or .json, \
      with or without .gz, else by its first bytes)
      """)
  var format: TextFormat?

  @Option(help: "The column or member with the item's key")
  var key = "key"

  @Option(help: "The column or member with the natural width")
  var width = "width"

  @Option(help: "The column or member with the natural height")
  var height = "height"

  @Option(help: "The column or member with the section's key (default: section, if present)")
  var section: String?

  @Option(help: "The column or member with the column span (default: span, if present)")
  var span: String?

  @Option(
    help: ArgumentHelp(
      "The columns or members with the items' data (default: the object in data, if present)",
      valueName: "column,..."),
    transform: dataNames)
  var data: [String] = []

  @Option(
    help: """
      The treatment of invalid rows (default: fail, or skip with --rejects)
      """)
  var onInvalid: ItemImport.InvalidRows?

  @Option(
    help: ArgumentHelp(
      "A file for the invalid rows, in the format of the input",
      valueName: "file"),
    completion: .file())
  var rejects: String?

  @Option(help: "The treatment of rows with an existing key")
  var onDuplicate = Duplicates.fail

  @Flag(help: "Add the items to an existing dataset")
  var append = false

  @Flag(help: "Replace the items of an existing dataset")
  var replace = false

  @Flag(help: "Make an existing dataset equal to the file")
  var match = false

  @Option(
    help: """
      The treatment of items missing in the file, with --match; keep leaves each after the item \
      that it followed (default: remove)
      """)
  var missing: Missing?

  /// ``MissingItems`` as a flag's value.
  enum Missing: String, CaseIterable, ExpressibleByArgument {
    case remove, keep
  }

  @Flag(help: "Let --replace or --match empty the dataset if no row is accepted")
  var allowEmpty = false

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
    let modes = [(append, "--append"), (replace, "--replace"), (match, "--match")].filter(\.0)
    if modes.count > 1 {
      throw ValidationError("\(modes[0].1) and \(modes[1].1) cannot be combined")
    }
    if match && onDuplicate != .fail {
      throw ValidationError("--on-duplicate cannot be combined with --match; keys must be unique")
    }
    if missing != nil && !match {
      throw ValidationError("--missing needs --match")
    }
    if allowEmpty && !(match || replace) {
      throw ValidationError("--allow-empty needs --replace or --match")
    }
    if modes.isEmpty && datasetOption.stated == nil {
      throw ValidationError("Missing the new dataset's name: give it with --dataset")
    }
    if onInvalid == .fail && rejects != nil {
      throw ValidationError("--rejects cannot be combined with --on-invalid fail")
    }
  }

  func run() throws {
    // Before the database is created, so that a wrong file name does not leave an empty one.
    let input = try InputFile(file)
    Interruption.watch()
    let format = try format ?? TextFormat(ofFile: file) ?? TextFormat(of: input.peek())
    let rejected = try rejects.map { try OutputFile($0, besides: input) }
    let (dataset, outcome) = try database.withCache(createsFile: !append) { cache in
      let work = ItemImport(
        dataset: try datasetName(in: cache),
        mode: append ? .append : replace ? .replace : match ? .match : .create, format: format,
        fields: fields, invalidRows: onInvalid ?? (rejects == nil ? .fail : .skip),
        duplicateRows: onDuplicate.rows, missing: missing == .keep ? .keep : .remove,
        allowsEmpty: allowEmpty)
      let outcome = try work.run(
        into: cache, from: input.name, rejecting: rejected.map { $0.write },
        watchBuilding: { placedItems, itemCount in
          try Interruption.check()
          ProgressLine.show(stage: "building the dataset", part: (placedItems, itemCount))
        },
        readPiece: { body in
          ProgressLine.show(bytesRead: input.bytesRead, of: input.byteCount)
          return try input.readPiece(body)
        })
      return (work.dataset, outcome)
    }
    try rejected?.flush()
    if output.json {
      try StandardOutput.printJSON { $0.value(outcome, dataset: dataset) }
    } else {
      var standardOutput = StandardOutput()
      try standardOutput.write(outcome.description(dataset: dataset, .of()))
      try standardOutput.flush()
    }
  }

  /// Returns the dataset. A new one needs a name; an existing one is found without a name if it
  /// is the only one.
  private func datasetName(in cache: LayoutCache) throws -> String {
    guard append || replace || match else { return datasetOption.stated ?? "" }
    let name = try datasetOption.name(in: cache)
    // A mistyped name must not create a second dataset.
    if append { _ = try cache.dataset(name) }
    return name
  }

  private var fields: FieldNames {
    FieldNames(
      key: key, width: width, height: height,
      section: section.map { .required($0) } ?? .ifPresent("section"),
      span: span.map { .required($0) } ?? .ifPresent("span"),
      data: data.isEmpty ? .object("data") : .members(data))
  }
}

extension ItemImport.InvalidRows: ExpressibleByArgument {}

/// Parses names separated by commas.
private func dataNames(_ text: String) throws -> [String] {
  let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  if names.contains("") { throw ValidationError("a name is empty; give A,B,C") }
  for (index, name) in names.enumerated() where names[..<index].contains(name) {
    throw ValidationError("'\(excerpt(name))' is given twice")
  }
  return names
}
