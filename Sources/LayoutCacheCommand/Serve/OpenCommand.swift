import ArgumentParser
import LayoutCache
import LayoutCacheService
import LayoutGeometry
import Logging
import TextFormats

struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Import a file, lay it out and show it in the browser",
    discussion: """
      Chooses the columns of a CSV, TSV, NDJSON or JSON file by their names and values, and prints \
      them with the commands that do the same. The items go into a dataset named after the file, \
      with the layout "\(OpenCommand.layout)", in the database FILE.sqlite unless --database is \
      given. If the dataset exists, it becomes equal to the file, as by import --match, and its \
      layouts stay; if less than half of its keys would stay, that needs --replace. Invalid rows, \
      and rows with the key of an earlier row, are skipped and counted.

      Then the service runs on this machine until Ctrl-C. The address is printed, and opened in \
      the browser if there is a display.

      Example:
        layoutcache open products.csv
      """)

  static let layout = "feed"

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var content: ContentOptions

  @Argument(help: "The file", completion: .file())
  var file: String

  @Option(help: "The port to listen on (default: a free one)")
  var port: Int?

  @Flag(help: "Make the dataset equal to the file even if most of its items are not in it")
  var replace = false

  @Flag(help: "Do not open the browser")
  var noBrowser = false

  func validate() throws {
    if file == InputFile.standardInput {
      throw ValidationError("open reads the file twice; name a file instead of standard input")
    }
    if let port, !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535") }
  }

  func run() throws {
    Interruption.watch()
    try options.service.limits.adjustProcessLimits()
    let dataset = ImportCommand.datasetName(ofFile: file)
    let (source, check) = try chooseFields()
    guard check.rowCount > 0 else {
      throw Failure(.badInput, "\(file) has a header and no rows; nothing was stored")
    }
    guard check.rowCount > check.invalid.count else {
      let report = ImportCheckReport(
        name: file, path: file, dataset: dataset, source: source, check: check)
      try report.print(asJSON: false)
      throw Failure(.badInput, "\(file) has no valid item; nothing was stored")
    }
    var output = StandardOutput()
    try output.write(source.description(.of()))
    let cache = try openDatabase()
    do {
      let imported = try importFile(source, check, into: dataset, of: cache)
      try output.write(
        imported.outcome.description(dataset: dataset, options: source.options, .of()))
      let hasLayout = try cache.layoutNames(of: dataset).contains { $0.isExactly(Self.layout) }
      if !hasLayout {
        try cache.setLayout(LayoutID(Self.layout, of: dataset), to: Self.layoutConfiguration())
      }
      let commands = commands(
        source, dataset: dataset, isNew: imported.isNew, setsLayout: !hasLayout, check)
      try output.write(commands)
      try output.flush()
      try Interruption.check(leaving: "the dataset is imported")
    } catch {
      try? cache.close()
      throw error
    }
    ProgressLine.end()
    try serve(cache, dataset: dataset)
  }

  // MARK: - Importing

  /// The part of the rows that may repeat the key of an earlier one, if the column has the name
  /// of a key: one repeated row must not make the row's number the key of all others, which each
  /// inserted row would change.
  private static let repeatedPartMax = 0.05

  /// Chooses the fields, with a key that is unique in the whole file, if there is one.
  private func chooseFields() throws -> (ImportSource, ImportCheck) {
    var unusableKeys: Set<String> = []
    while true {
      let input = try InputFile(file)
      guard input.isRegularFile else {
        throw Failure(.usage, "open reads the file twice; \(file) is not a regular file")
      }
      var source = try ImportSource(
        input, format: nil, stated: content.options, guesses: true, unusableKeys: unusableKeys
      ) { source in
        (["layoutcache open", ShellText.quoted(file)] + source.flags).joined(separator: " ")
      }
      let check = try checked(source, input)
      if let guess = source.guess, !guess.usesFields, check.rowCount > 0 {
        throw Failure(
          .badInput, "\(file) has no key, size, date, title or picture that could be recognized",
          hint: Failure.listAdvice(in: file, source.format)
            ?? "name its columns with --key, --width, --height, ...")
      }
      let isNamed = source.guess?.keyIsNamed ?? false
      let repeatedMax = isNamed ? Double(check.rowCount) * Self.repeatedPartMax : 0
      let key = source.options.fields.key
      guard Double(check.duplicateCount) > repeatedMax, key != FieldNames.rowNumber,
        content.key == nil
      else {
        return source.addScale(check.proportions)
          ? (source, try checked(source, InputFile(file))) : (source, check)
      }
      unusableKeys.insert(key)
    }
  }

  private func checked(_ source: ImportSource, _ input: InputFile) throws -> ImportCheck {
    let check = try source.itemImport(into: "").check {
      ProgressLine.show(bytesRead: input.bytesRead, of: input.byteCount)
      return try input.readPiece($0)
    }
    if let error = check.formatError { throw Failure(error, in: file, format: source.format) }
    return check
  }

  /// The path of the database: next to the file, because a database that other data is in would
  /// change, unless it is named.
  private var path: String { database.database ?? file + ".sqlite" }

  private func openDatabase() throws -> LayoutCache {
    let hint = "name another database with --database"
    do {
      let cache = try LayoutCache(path: path)
      if !cache.isReadOnly { return cache }
      try cache.close()
      throw Failure(.inputOutput, "cannot write \(path)", hint: hint)
    } catch let error as LayoutCacheError where error.category == .inputOutput {
      throw Failure(.inputOutput, error.description, code: error.code.name, hint: hint)
    }
  }

  /// Checks that at least half of a dataset's items are in the file.
  private func requireSurvivors(_ check: ImportCheck, _ dataset: String, _ cache: LayoutCache)
    throws
  {
    var (itemCount, keptCount) = (0, 0)
    try cache.forEachItem(of: dataset, withData: false) { _, item in
      itemCount += 1
      if check.contains(key: item.key) { keptCount += 1 }
    }
    guard 2 * keptCount < itemCount else { return }
    throw Failure(
      .badInput,
      "\(file) has \(keptCount) of the \(itemCount) items of dataset '\(dataset)' in \(path); "
        + "nothing was stored",
      hint: "--replace removes the others, --database names another database")
  }

  private func importFile(
    _ source: ImportSource, _ check: ImportCheck, into dataset: String, of cache: LayoutCache
  ) throws -> (outcome: ItemImport.Outcome, isNew: Bool) {
    let isNew = try !cache.datasetNames().contains { $0.utf8.elementsEqual(dataset.utf8) }
    if !isNew, !replace { try requireSurvivors(check, dataset, cache) }
    let work = source.itemImport(
      into: dataset, mode: isNew ? .create : .match, invalidRows: .skip, duplicateRows: .skip)
    return (try work.run(into: cache, InputFile(file)), isNew)
  }

  /// The flags of the layout: as many columns as fit.
  private static let layoutFlags = [
    "--kind", "waterfall", "--any-width", "--minimum-column-width", "220",
    "--column-spacing", "8", "--line-spacing", "8", "--inset", "8,8,8,8", "--header", "44",
    "--pins-header",
  ]

  private static func layoutConfiguration() throws -> LayoutConfiguration {
    let flags = try LayoutSetCommand.parse([layout] + layoutFlags)
    return try ConfigurationText.decode(flags.flags.text)
  }

  /// Returns the commands that do the same.
  private func commands(
    _ source: ImportSource, dataset: String, isNew: Bool, setsLayout: Bool, _ check: ImportCheck
  ) -> String {
    let place = ["--database", ShellText.quoted(path)]
    var flags = isNew ? [] : ["--match"]
    if check.invalid.count > check.duplicateCount { flags += ["--on-invalid", "skip"] }
    if check.duplicateCount > 0 { flags += ["--on-duplicate", "skip"] }
    var commands = [source.command(path: file, dataset: dataset, adding: flags + place)]
    if setsLayout {
      let words = ["layoutcache layout set", Self.layout, "--dataset", ShellText.quoted(dataset)]
      commands.append((words + Self.layoutFlags + place).joined(separator: " "))
    }
    commands.append((["layoutcache serve"] + place).joined(separator: " "))
    return "the same by hand:\n" + commands.map { "  \($0)\n" }.joined()
  }

  // MARK: - Serving

  private var options: ServeOptions {
    var options = ServeOptions()
    options.service.port = port ?? 0
    return options
  }

  private func serve(_ cache: LayoutCache, dataset: String) throws {
    let options = self.options
    let service = options.service
    let opensBrowser = !noBrowser
    let logger = Logger(label: "layoutcache") {
      ServiceLog(label: $0, format: .text, level: .warning)
    }
    try ServeCommand.serve(cache) {
      ServiceRun(
        cache: cache, membership: try Membership(of: cache, options, logger),
        configuration: service, logger: logger, readTokens: nil
      ) { port in
        let query = "dataset=\(Self.percentEncoded(dataset))&layout=\(Self.layout)"
        let address = "http://\(service.host):\(port)/?\(query)"
        try? StandardOutput.printLine("\(address)\nCtrl-C ends the service")
        if opensBrowser { Browser.open(address) }
      }
    }
  }

  /// Returns a text as a value of a URL's query.
  private static func percentEncoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + hexadecimal(CollectionOfOne(byte)).uppercased()
      }
    }
  }
}
