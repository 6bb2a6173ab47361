import LayoutGeometry
import TextFormats

/// The result of `import --check`.
struct ImportCheckReport {
  let path: String
  let dataset: String
  let source: ImportSource
  let check: ImportCheck

  /// The command that imports the file; `nil` if none does.
  private var command: String? {
    // Only a text with other names of columns can be imported after an error.
    if let error = check.formatError, error.code != .missingColumn || check.rowCount == 0 {
      return nil
    }
    guard check.rowCount > check.invalid.count else { return nil }
    var flags: [String] = []
    if check.invalid.count > check.duplicateCount { flags += ["--on-invalid", "skip"] }
    if check.duplicateCount > 0 { flags += ["--on-duplicate", "skip"] }
    return source.command(path: path, dataset: dataset, skipping: flags)
  }

  func print(asJSON: Bool) throws {
    if asJSON { return try StandardOutput.printJSON(write) }
    var text =
      "\(path): \(source.format.rawValue.uppercased()), \(plural(check.rowCount, "row"))\n"
    text += source.description(.of())
    if let error = check.formatError {
      text += Failure(error, in: path, format: source.format).message + "\n"
    }
    if check.invalid.count > 0 {
      text += "\(plural(check.invalid.count, "row")) with problems:\n"
      text += check.invalid.description(.of())
    } else if check.formatError == nil {
      text += "no problems\n"
    }
    if check.sectionlessCount > 0, source.fields.section.isRequired {
      text += "\(plural(check.sectionlessCount, "row")) without a section: section \"main\"\n"
    }
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
    if let guess = source.guess {
      json.member("fields", of: guess.choices) { json, choice in
        json.beginObject()
        json.member("for", choice.role)
        json.member("column", choice.field)
        json.member("because", choice.reason)
        json.endObject()
      }
    }
    if let error = check.formatError {
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

extension FieldNames.OptionalField {
  fileprivate var isRequired: Bool { if case .required = self { true } else { false } }
}
