import LayoutCache
import LayoutGeometry
import TextFormats

/// The fields that flags name.
struct StatedFields {
  var key: String?
  var width: String?
  var height: String?
  var section: String?
  var span: String?
  var style: String?
  var data: [DataMember] = []
}

/// The format and the fields of a file to import.
struct ImportSource {
  /// The number of bytes by which fields are guessed.
  private static let sampleBytes = 1 << 18

  let format: TextFormat
  private(set) var fields: FieldNames
  /// The guess that the fields come from; `nil` if the flags and the defaults name all of them.
  private(set) var guess: FieldGuess?
  private let stated: StatedFields

  /// Determines the format and the fields of a file, whose bytes stay to be read.
  ///
  /// - Parameters:
  ///   - format: The format named by a flag.
  ///   - guesses: Whether to choose the fields that no flag names by a sample of the rows.
  ///   - unusableKeys: Fields that are not unique in the whole file.
  init(
    _ input: InputFile, path: String, format: TextFormat?, stated: StatedFields, guesses: Bool,
    unusableKeys: Set<String> = []
  ) throws {
    let (opening, isWhole) = try input.peek(atLeast: guesses ? Self.sampleBytes : 1)
    let wanted = format ?? TextFormat(ofFile: path) ?? .csv
    if let error = FormatError(of: opening, insteadOf: wanted) {
      throw Failure(error, in: input.name, format: wanted)
    }
    self.stated = stated
    fields = FieldNames()
    guard guesses else {
      self.format = format ?? TextFormat(ofFile: path) ?? TextFormat(of: opening)
      if format == nil { try Self.requireFormat(self.format, of: opening, in: input.name) }
      apply(stated)
      return
    }
    let recognized = TextFormat(of: opening)
    let named = format ?? TextFormat(ofFile: path)
    // The name of a file may be wrong; its first byte is not.
    self.format =
      format ?? (recognized == .ndjson || named == .ndjson ? recognized : named ?? recognized)
    do {
      var guess = FieldGuess(
        try TextSample(opening, isWhole: isWhole, format: self.format), unusableKeys: unusableKeys)
      fields = guess.fields
      // A column of this name may as well describe the items.
      fields.style = .ignored
      for (role, field) in [
        ("key", stated.key), ("width", stated.width), ("height", stated.height),
        ("section", stated.section), ("span", stated.span),
      ] {
        if let field { guess.replace(role, with: field) }
      }
      if !stated.data.isEmpty {
        guess.replace("data", with: stated.data.map(\.text).joined(separator: ","))
      }
      self.guess = guess
    } catch let error as FormatError {
      throw Failure(error, in: input.name, format: self.format)
    }
    apply(stated)
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

  private mutating func apply(_ stated: StatedFields) {
    if let key = stated.key { fields.key = key }
    if let width = stated.width { fields.width = width }
    if let height = stated.height { fields.height = height }
    if let section = stated.section { fields.section = .required(section) }
    if let span = stated.span { fields.span = .required(span) }
    if let style = stated.style { fields.style = style.isEmpty ? .ignored : .required(style) }
    if !stated.data.isEmpty { fields.data = .members(stated.data) }
  }

  /// Returns the guess as a table; empty without one.
  func description(_ style: TextStyle) -> String {
    guard let guess else { return "" }
    var table = Table([.text("for"), .text("column"), .text("because")])
    for choice in guess.choices { table.add([choice.role, choice.field, choice.reason]) }
    return table.lines(style)
  }

  /// The flags that name the fields which differ from the defaults.
  var flags: [String] {
    let defaults = FieldNames()
    var flags: [String] = []
    func add(_ flag: String, _ value: String?, _ usual: String?) {
      if let value, value != usual { flags += ["--" + flag, ShellText.quoted(value)] }
    }
    add("key", fields.key, defaults.key)
    add("width", fields.width, defaults.width)
    add("height", fields.height, defaults.height)
    add("section", fields.section.name, defaults.section.name)
    add("span", fields.span.name, defaults.span.name)
    add("style", fields.style.name, defaults.style.name)
    if case .members(let members) = fields.data {
      add("data", members.map(\.text).joined(separator: ","), nil)
    }
    return flags
  }

  /// Returns the command that imports the file into a dataset.
  ///
  /// - Parameter other: The flags that do not name columns, as words of a shell.
  func command(path: String, dataset: String, adding other: [String] = []) -> String {
    var words = ["layoutcache import", ShellText.quoted(path)]
    words += ["--dataset", ShellText.quoted(dataset)]
    if TextFormat(ofFile: path) ?? format != format { words += ["--format", format.rawValue] }
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
