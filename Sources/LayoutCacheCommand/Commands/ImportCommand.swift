import ArgumentParser
import LayoutCache
import TextFormats

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import items from a CSV, TSV, NDJSON or JSON file into a dataset",
    discussion: """
      The separator of CSV may also be a semicolon or a tab. NDJSON is one object per line; one JSON \
      array of objects is accepted too. Gzip files, and ZIP archives of one file, are unpacked. \
      Sections are created in order of first appearance; items without one go to the section \
      "main". Rows may state their section's style; those that do must agree, and --style "" \
      ignores a column of that name. The import is one transaction. A file with only a header, an empty array or an empty \
      NDJSON file creates an empty dataset; to remove all items of an existing dataset, --replace \
      and --match need --allow-empty.

      With --on-duplicate update, a row with an existing key, in the dataset or in an earlier \
      row, changes the size of its item, and the span and data if the row has them; the item \
      keeps its position.

      With --match the dataset becomes equal to the file, with as few moves as possible. Items \
      that do not change keep their measured lengths, and marks stay; items missing in the file \
      are removed. The result is one revision, or none if nothing differs. With --on-duplicate \
      skip, only the first row of each key counts.

      --rejects writes the rows that are not imported to a file of the same format: invalid rows, \
      rows skipped by --on-duplicate skip, and, if --section names the sections' column, rows \
      without a section, which are otherwise imported into the section "main".

      An item's data, a JSON object of at most 4 KiB, is read from the column or member "data", \
      or, with --data, built from several: title=name takes the member title from the column \
      name, and price:number has a type (string, number, boolean, list or json). Without a type, values \
      of CSV and TSV become strings. Empty values are omitted. An item without values has no data.

      A number as --width or --height is the size of all items, --key #row is the number of the \
      row, and --section created:month is the month of the date in the column created (also day \
      and year), unless the file has a column of that name. In JSON, --width image.width is a member \
      of a member.

      A row that cannot be read, such as one with a NUL byte, a misplaced quote or more than 1 MiB, \
      is invalid like one with a wrong value.

      --guess chooses the columns that are not named, by their names and values. --check reads \
      the file, reports all problems and the command that imports it, and imports nothing. A guess that is \
      doubtful is refused with the command to type, or asked at a terminal.

      Examples:
        layoutcache import feed.csv --dataset art
        layoutcache import feed.csv --dataset tate --replace --rejects skipped.csv
        layoutcache import - --dataset tate --append --on-duplicate update
        layoutcache import feed.csv --dataset tate --match
        layoutcache import feed.csv --check
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

  @OptionGroup var content: ContentOptions

  @Flag(help: "Choose the columns that are not named by their names and values")
  var guess = false

  @Flag(help: "Report all problems of the file, and import nothing")
  var check = false

  @Option(
    help: """
      The treatment of invalid rows (default: fail, or skip with --rejects)
      """)
  var onInvalid: ItemImport.InvalidRows?

  @Option(
    help: ArgumentHelp(
      "A file for the rows that are not imported, in the format of the input",
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
    if match && onDuplicate == .update {
      throw ValidationError("--on-duplicate update cannot be combined with --match")
    }
    if missing != nil && !match { throw ValidationError("--missing needs --match") }
    if allowEmpty && !(match || replace) {
      throw ValidationError("--allow-empty needs --replace or --match")
    }
    if modes.isEmpty && datasetOption.stated == nil && !check && !(guess && file != "-") {
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
    if check { return try ImportChecking(command: self, input: input).run() }
    let source = try ImportSource(
      input, format: format, stated: content.options, guesses: guess
    ) { source in
      source.command(path: file, dataset: datasetOption.stated ?? Self.datasetName(ofFile: file))
    }
    let rejected = try rejects.map { try OutputFile($0, besides: input) }
    let (dataset, outcome) = try database.withCache(createsFile: !append) { cache in
      let work = itemImport(of: source, into: try datasetName(in: cache))
      return (work.dataset, try work.run(into: cache, input, rejected))
    }
    try rejected?.flush()
    if output.json {
      try StandardOutput.printJSON { $0.value(outcome, dataset: dataset) }
    } else {
      var standardOutput = StandardOutput()
      if guess { try standardOutput.write(source.description(.of())) }
      try standardOutput.write(
        outcome.description(dataset: dataset, options: source.options, .of()))
      try standardOutput.flush()
    }
  }

  var invalidRows: ItemImport.InvalidRows { onInvalid ?? (rejects == nil ? .fail : .skip) }

  func itemImport(of source: ImportSource, into dataset: String) -> ItemImport {
    ItemImport(
      dataset: dataset, mode: append ? .append : replace ? .replace : match ? .match : .create,
      format: source.format, options: source.options, invalidRows: invalidRows,
      duplicateRows: onDuplicate.rows, missing: missing == .keep ? .keep : .remove,
      allowsEmpty: allowEmpty, requiresSection: rejects != nil)
  }

  /// Returns the name of a file without its folders and extensions, as a dataset's name.
  static func datasetName(ofFile path: String) -> String {
    var name = path.split(separator: "/").last.map(String.init) ?? path
    for ending in [".gz", ".zip", ".csv", ".tsv", ".tab", ".ndjson", ".jsonl", ".json", ".txt"]
    where name.lowercased().hasSuffix(ending) && name.count > ending.count {
      name.removeLast(ending.count)
    }
    return name
  }

  /// Returns the dataset. A new one needs a name; an existing one is found without a name if it
  /// is the only one.
  private func datasetName(in cache: LayoutCache) throws -> String {
    if guess, datasetOption.stated == nil { return Self.datasetName(ofFile: file) }
    guard append || replace || match else { return datasetOption.stated ?? "" }
    return try datasetOption.name(in: cache)
  }
}

extension ItemImport.InvalidRows: ExpressibleByArgument {}
