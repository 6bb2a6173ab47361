import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import items from a CSV, TSV, NDJSON or JSON file into a dataset",
    discussion: """
      CSV and TSV need a header row; columns may be separated by semicolons or tabs too. NDJSON is \
      an object a line; one JSON array of objects will do as well. A file that is gzip is taken \
      apart. Sections come in order of first appearance; items without one go to the section \
      "main". Everything is stored in one transaction, or nothing is. A header alone, an empty \
      array or an empty NDJSON file makes an empty dataset; to empty one that has items with \
      --replace or --match needs --allow-empty.

      With --on-duplicate update a row whose key is there already, in the dataset or in an \
      earlier row, gives its item another size, and another span and data where it states \
      them; the item stays where it is.

      With --match the dataset becomes equal to the file, with as few moves as possible. Items \
      that do not change keep their measured lengths, and marks stay; items that the file does \
      not have are removed. It is one revision, or none where nothing differs.

      What items carry, a JSON object of at most 4 KiB each, is read from the column or member \
      "data", or, with --data, made of several: texts of CSV and TSV become strings, empty \
      ones are left out, and an item with none has no data.

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
      The file's format (default: by its ending, .csv, .tsv, .tab, .ndjson, .jsonl or .json, \
      with or without .gz, else by its first bytes)
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

  @Option(
    help: """
      What to do about rows that state no proper item (default: fail, or skip with --rejects)
      """)
  var onInvalid: ItemImport.InvalidRows?

  @Option(
    help: ArgumentHelp(
      "Write the rows that state no proper item to a file of the same format",
      valueName: "file"),
    completion: .file())
  var rejects: String?

  @Option(help: "What to do about rows whose key is there already")
  var onDuplicate = Duplicates.fail

  @Flag(help: "Add the items to a dataset that exists")
  var append = false

  @Flag(help: "Replace the items of a dataset that exists")
  var replace = false

  @Flag(help: "Make a dataset that exists equal to the file")
  var match = false

  @Option(
    help: """
      What --match does with items that the file does not have; keep leaves each after the one \
      that it followed (default: remove)
      """)
  var missing: Missing?

  /// ``MissingItems`` as a flag's value.
  enum Missing: String, CaseIterable, ExpressibleByArgument {
    case remove, keep
  }

  @Flag(help: "Let --replace or --match empty the dataset where no row is accepted")
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
      throw ValidationError("\(modes[0].1) and \(modes[1].1) exclude each other")
    }
    if match && onDuplicate != .fail {
      throw ValidationError("with --match a file has each key once; leave --on-duplicate out")
    }
    if missing != nil && !match {
      throw ValidationError("--missing is for --match")
    }
    if allowEmpty && !(match || replace) {
      throw ValidationError("--allow-empty is for --replace and --match")
    }
    if modes.isEmpty && datasetOption.stated == nil {
      throw ValidationError("Missing the new dataset's name: give it with --dataset")
    }
    if onInvalid == .fail && rejects != nil {
      throw ValidationError("--rejects is for rows that are skipped; leave --on-invalid fail out")
    }
  }

  func run() throws {
    // Before the database, so that a wrong file name does not leave one behind.
    let input = try InputFile(file)
    Interruption.watch()
    let format = try format ?? TextFormat(ofFile: file) ?? TextFormat(of: input.peek())
    let rejected = try rejects.map { try OutputFile($0, besides: input) }
    let (dataset, outcome) = try database.withCache(createsFile: true) { cache in
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

  /// The dataset; a new one needs a name, where one that is there may be the only one.
  private func datasetName(in cache: LayoutCache) throws -> String {
    append || replace || match ? try datasetOption.name(in: cache) : datasetOption.stated ?? ""
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

/// Reads names with commas between them.
private func dataNames(_ text: String) throws -> [String] {
  let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  if names.contains("") { throw ValidationError("a name is missing; they are A,B,C") }
  for (index, name) in names.enumerated() where names[..<index].contains(name) {
    throw ValidationError("'\(excerpt(name))' is there twice")
  }
  return names
}
