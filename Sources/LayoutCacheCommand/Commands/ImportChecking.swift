import LayoutCache
import TextFormats

/// A run of `import --check`: reads the file as an import does, and stores nothing.
struct ImportChecking {
  let command: ImportCommand
  let input: InputFile

  /// Reads the file, and prints its problems and the command that imports it.
  ///
  /// - Throws: ``Failure`` if an import would fail or skip rows.
  func run() throws {
    let (dataset, exists) = try target()
    var (source, check, asStated) = try checked(dataset)
    if let error = source.enclosing { (check.formatError, asStated) = (error, nil) }
    var report = ImportCheckReport(
      name: input.name, path: command.file, dataset: dataset, source: source, check: check,
      asStated: asStated)
    report.isExisting = exists && !hasMode
    report.command =
      isImportable(check, emptying: exists)
      ? source.command(path: command.file, dataset: dataset, adding: flags(for: check, exists))
      : nil
    try report.print(asJSON: command.output.json)
    guard asStated == nil, !report.isExisting, isAccepted(check, emptying: exists) else {
      throw Failure(
        .differences, "\(input.name) cannot be imported as it is; nothing was imported",
        line: (asStated ?? check.formatError)?.line)
    }
  }

  private var hasMode: Bool { command.append || command.replace || command.match }

  /// Returns the name of the dataset, and whether it exists.
  private func target() throws -> (name: String, exists: Bool) {
    let isFile = command.file != InputFile.standardInput
    let named =
      command.datasetOption.stated
      ?? (isFile ? ImportCommand.datasetName(ofFile: command.file) : "NAME")
    guard command.database.exists || command.append else { return (named, false) }
    return try command.database.withCache { cache in
      let name = hasMode && !command.guess ? try command.datasetOption.name(in: cache) : named
      let exists = try cache.datasetNames().contains { $0.utf8.elementsEqual(name.utf8) }
      if command.append, !exists { _ = try cache.dataset(name) }
      return (name, exists)
    }
  }

  /// Reads the file; if no row can be imported with the stated names of columns, with guessed ones.
  ///
  /// - Returns: The result, with the problem of the stated names, if any.
  private func checked(
    _ dataset: String
  ) throws -> (source: ImportSource, check: ImportCheck, asStated: ImportError?) {
    func check(
      _ input: InputFile, guesses: Bool
    ) throws -> (source: ImportSource, check: ImportCheck) {
      let source = try ImportSource(
        input, format: command.format, stated: command.content.options, guesses: guesses)
      let check = try command.itemImport(of: source, into: dataset)
        .check { try input.readPiece($0) }
      return (source, check)
    }
    let canGuess = !command.guess && input.isRegularFile
    var asStated: ImportError?
    do {
      var stated = try check(input, guesses: command.guess)
      asStated = stated.check.unusable
      if !canGuess || asStated == nil { return (stated.source, stated.check, nil) }
      let guessed = try check(InputFile(command.file), guesses: true)
      stated.source.enclosing = guessed.source.enclosing
      // A row of which nothing is used is not what the user means.
      if guessed.check.unusable != nil || guessed.source.guess?.usesFields == false {
        return (stated.source, stated.check, nil)
      }
      return (guessed.source, guessed.check, asStated)
    } catch let failure as Failure where canGuess && failure.status == .badInput {
      // The name of the file is wrong, but its contents may be fine.
      let guessed = try check(InputFile(command.file), guesses: true)
      return (guessed.source, guessed.check, nil)
    }
  }

  // MARK: - Results

  /// Whether a command imports the file.
  private func isImportable(_ check: ImportCheck, emptying exists: Bool) -> Bool {
    if check.formatError != nil { return false }
    if command.match && command.onDuplicate == .update { return false }
    return check.rowCount == 0
      ? command.allowEmpty || !exists || command.append : check.invalid.count < check.rowCount
  }

  /// Whether an import with the given options succeeds.
  private func isAccepted(_ check: ImportCheck, emptying exists: Bool) -> Bool {
    let repeated = command.onDuplicate == .update ? 0 : check.duplicateCount
    return isImportable(check, emptying: exists)
      && (repeated == 0 || command.onDuplicate == .skip)
      && (check.invalid.count == repeated || command.invalidRows == .skip)
  }

  /// The flags of the command that imports the file, except those that name columns.
  private func flags(for check: ImportCheck, _ exists: Bool) -> [String] {
    var flags: [String] = []
    if command.append { flags.append("--append") }
    if command.replace { flags.append("--replace") }
    if command.match || exists && !hasMode { flags.append("--match") }
    if let missing = command.missing { flags += ["--missing", missing.rawValue] }
    if command.allowEmpty { flags.append("--allow-empty") }
    if let rejects = command.rejects { flags += ["--rejects", ShellText.quoted(rejects)] }
    let repeatedCount = command.onDuplicate == .update ? 0 : check.duplicateCount
    if check.invalid.count > repeatedCount, command.rejects == nil {
      flags += ["--on-invalid", "skip"]
    }
    let duplicates =
      check.duplicateCount > 0 && command.onDuplicate == .fail ? .skip : command.onDuplicate
    if duplicates != .fail { flags += ["--on-duplicate", duplicates.rawValue] }
    if let database = command.database.database {
      flags += ["--database", ShellText.quoted(database)]
    }
    return flags
  }
}
