import LayoutCache
import LayoutGeometry
import TextFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The format and the options of a file to import.
struct ImportSource {
  /// The number of bytes by which options are guessed.
  private static let sampleBytes = 1 << 18

  let format: TextFormat
  private(set) var options: ImportOptions
  /// The guess that the options contain; `nil` if the flags and the defaults name all fields.
  private(set) var guess: FieldGuess?
  /// The reasons that the guess may be wrong.
  private(set) var doubts: [String] = []
  /// The error of a JSON object around the list of the items.
  var enclosing: ImportError?
  private let contentPath: String

  /// Determines the format and the options of a file, whose bytes stay to be read.
  ///
  /// - Parameters:
  ///   - format: The format named by a flag.
  ///   - guesses: Whether to choose the options that no flag states by a sample of the rows.
  ///   - unusableKeys: Fields that are not unique in the whole file.
  ///   - command: Returns the command that imports the file with a doubtful guess, for which the
  ///     user is asked, or told so without a terminal; `nil` accepts doubts.
  init(
    _ input: InputFile, format: TextFormat?, stated: ImportOptions, guesses: Bool,
    unusableKeys: Set<String> = [], command: ((ImportSource) -> String)? = nil
  ) throws {
    let (opening, isWhole) = try input.peek(atLeast: guesses ? Self.sampleBytes : 1)
    contentPath = input.contentPath
    let named = format ?? TextFormat(ofFile: contentPath)
    if let error = ImportError(of: opening, insteadOf: named ?? .csv) {
      throw Failure(error, in: input.name, format: named ?? .csv)
    }
    let recognized = TextFormat(of: opening)
    options = stated
    guard guesses else {
      self.format = named ?? recognized
      if format == nil { try Self.requireFormat(self.format, of: opening, in: input.name) }
      return
    }
    // The name of a file may be wrong; its first byte is not.
    self.format =
      format ?? (recognized == .ndjson || named == .ndjson ? recognized : named ?? recognized)
    do {
      try chooseOptions(opening, isWhole, of: input.name, stated, unusableKeys)
    } catch let error as ImportError {
      throw Failure(error, in: input.name, format: self.format)
    }
    guard let command else { return }
    if let enclosing {
      throw Failure(
        .badInput, "\(input.name) has no items at its top level", hint: enclosing.message)
    }
    if !doubts.isEmpty { try settleDoubts(input.name, command(self)) }
  }

  private mutating func chooseOptions(
    _ opening: [UInt8], _ isWhole: Bool, of name: String, _ stated: ImportOptions,
    _ unusableKeys: Set<String>
  ) throws {
    func guess(_ shape: TextShape) throws -> FieldGuess {
      FieldGuess(
        try TextSample(opening, isWhole: isWhole, format: format, shape: shape),
        unusableKeys: unusableKeys)
    }
    var chosen = try guess(stated.shape)
    if chosen.isSingleRecord, !chosen.keyIsNamed, stated.shape.items == nil,
      stated.values[.key] == nil,
      let advice = Failure.listAdvice(in: name, format)
    {
      enclosing = ImportError(line: 1, code: .otherFormat, message: advice)
    }
    let open = chosen.doubts.filter { doubt in
      !doubt.settledBy.contains { stated.values[$0] != nil }
    }
    doubts = open.map(\.reason)
    if open.contains(where: { $0.settledBy == [.header] }) {
      var shape = stated.shape
      shape.hasHeader = false
      chosen = try guess(shape)
      chosen.replace(.header, with: "false", because: "the first row has values")
    }
    for (option, value) in stated.values { chosen.replace(option, with: value) }
    (self.guess, options) = (chosen, chosen.options)
    if options.values[.scale] == nil {
      var isRead = false
      let check = try itemImport(into: "").check { body in
        if isRead { return false }
        isRead = true
        try opening.withUnsafeBytes(body)
        return true
      }
      addScale(check.proportions)
    }
  }

  /// Adds the scale that keeps the shapes of items, if one does.
  ///
  /// - Returns: Whether the options have changed.
  @discardableResult
  mutating func addScale(_ proportions: Proportions) -> Bool {
    guard let scale = proportions.mendingScale, guess != nil, options.values[.scale] == nil else {
      return false
    }
    guess?.replace(
      .scale, with: String(scale),
      because: "rounding would change the shape of \(plural(proportions.offCount, "item"))")
    options = guess?.options ?? options
    return true
  }

  /// Asks the user at a terminal whether to use a doubtful guess.
  ///
  /// - Throws: ``Failure`` with the command that states it, unless the user agrees.
  private func settleDoubts(_ name: String, _ command: String) throws {
    let context = RunContext.current
    if isatty(context.input) == 1, isatty(context.error) == 1 {
      ProgressLine.end()
      StandardError.write(
        description(.of()) + doubts.map { "\($0)\n" }.joined() + "import \(name) so? [y/N] ")
      if ["y", "yes"].contains((readLine() ?? "").lowercased()) { return }
    }
    throw Failure(
      .badInput, "\(name): \(doubts.joined(separator: "; "))",
      hint: clauses(
        "if it is to be read so, type: \(command)",
        options.shape.hasHeader ? nil : "if line 1 does name the columns, add --header"))
  }

  /// Throws if a file's first bytes show that its name is wrong. A header may begin with a
  /// bracket, but not with one that encloses a quote or another bracket.
  private static func requireFormat(
    _ format: TextFormat, of opening: [UInt8], in name: String
  ) throws {
    let recognized = TextFormat(of: opening)
    let text = opening.withoutByteOrderMark.filter { !" \t\r\n".utf8.contains($0) }.prefix(2)
    let isJSON = ["{\"", "{}", "[{", "[]"].contains { text.elementsEqual($0.utf8) }
    guard recognized == .ndjson ? isJSON && format != .ndjson : format == .ndjson && !text.isEmpty
    else { return }
    throw Failure(
      .badInput,
      "\(name) is not \(format.rawValue.uppercased()): it begins like \(recognized.name)",
      hint: "add --format \(recognized.rawValue)")
  }

  func itemImport(
    into dataset: String, mode: ImportMode = .create,
    invalidRows: ItemImport.InvalidRows = .fail, duplicateRows: DuplicateRows = .fail
  ) -> ItemImport {
    ItemImport(
      dataset: dataset, mode: mode, format: format, options: options, invalidRows: invalidRows,
      duplicateRows: duplicateRows)
  }

  /// Returns the guess as a table; empty without one.
  func description(_ style: TextStyle) -> String {
    guard let guess else { return "" }
    var table = Table([.text("for"), .text("column"), .text("because"), .text("change with")])
    for choice in guess.choices {
      table.add([choice.option.rawValue, choice.value, choice.reason, choice.option.flag])
    }
    return table.lines(style)
  }

  /// The flags of the options that differ from the defaults, as words of a shell.
  var flags: [String] {
    options.stated.flatMap { option, value in
      switch (option, value) {
      case (.header, "false"): [option.flag]
      case (.header, _): ["--header"]
      default: [option.flag, ShellText.quoted(value)]
      }
    }
  }

  /// Returns the command that imports the file into a dataset.
  ///
  /// - Parameter other: The flags that do not concern the contents, as words of a shell.
  func command(path: String, dataset: String, adding other: [String] = []) -> String {
    var words = ["layoutcache import", ShellText.quoted(path)]
    words += ["--dataset", ShellText.quoted(dataset)]
    if TextFormat(ofFile: contentPath) ?? format != format {
      words += ["--format", format.rawValue]
    }
    return (words + flags + other).joined(separator: " ")
  }
}

extension TextFormat {
  /// The format's name in messages.
  fileprivate var name: String { self == .ndjson ? "JSON" : rawValue.uppercased() }
}

/// Words of a POSIX shell's command line.
enum ShellText {
  /// Returns a word as it is written on the command line.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_-+./,:=@%".utf8.contains(byte)
      }
    }
    if isPlain && !word.isEmpty { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
