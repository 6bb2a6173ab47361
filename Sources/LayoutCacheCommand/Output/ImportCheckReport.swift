import LayoutGeometry
import TextFormats

/// The result of `import --check`.
struct ImportCheckReport {
  /// The file's name in messages.
  let name: String
  let path: String
  let dataset: String
  let source: ImportSource
  let check: ImportCheck
  /// The problem of the names of columns that the options state, if `source` has guessed ones.
  var asStated: ImportError?
  /// Whether the dataset exists, and no option says what becomes of it.
  var isExisting = false
  /// The command that imports the file; `nil` if none does.
  var command: String?

  func print(asJSON: Bool) throws {
    if asJSON { return try StandardOutput.printJSON(write) }
    var text =
      "\(name): \(source.format.rawValue.uppercased()), \(plural(check.rowCount, "row"))\n"
    if let asStated { text += Failure(asStated, in: name, format: source.format).message + "\n" }
    text += source.description(.of())
    if let error = check.formatError {
      text += Failure(error, in: name, format: source.format).message + "\n"
    }
    if isExisting {
      text += "dataset '\(excerpt(dataset))' exists: --match makes it equal to the file, --append "
      text += "adds its rows\n"
    }
    if check.invalid.count > 0 {
      text += "\(plural(check.invalid.count, "row")) with problems:\n"
      text += check.invalid.description(.of())
    } else if check.formatError == nil && asStated == nil {
      text += "no problems\n"
    }
    if check.sectionlessCount > 0 { text += sectionlessText(check.sectionlessCount) }
    text += sizeText(check.sizelessCount, check.proportions, source.options)
    text += source.doubts.map { "doubtful: \($0)\n" }.joined()
    if let command { text += "this command imports it:\n  \(command)\n" }
    var standardOutput = StandardOutput()
    try standardOutput.write(text)
    try standardOutput.flush()
  }

  private func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("file", path)
    json.member("format", source.format.rawValue)
    json.member("rows", check.rowCount)
    json.member("invalid", check.invalid.count)
    json.member("duplicates", check.duplicateCount)
    json.member("withoutSection", check.sectionlessCount)
    if check.sizelessCount > 0 { json.member("withoutSize", check.sizelessCount) }
    json.members(of: check.proportions)
    json.member("exists", isExisting)
    if let guess = source.guess {
      json.member("fields", of: guess.choices) { json, choice in
        json.beginObject()
        json.member("for", choice.option.rawValue)
        json.member("column", choice.value)
        json.member("because", choice.reason)
        json.member("flag", choice.option.flag)
        json.endObject()
      }
    }
    if let error = asStated ?? check.formatError {
      json.member("error")
      json.beginObject()
      json.member("line", error.line)
      json.member("message", error.message)
      json.endObject()
    }
    json.member("problems", of: check.invalid.groups) { json, group in
      json.beginObject()
      json.member("reason", group.reason)
      json.member("rows", group.count)
      json.member("lines", of: group.lines) { json, line in json.value(line) }
      json.endObject()
    }
    json.optionalMember("command", command)
    json.endObject()
  }
}
