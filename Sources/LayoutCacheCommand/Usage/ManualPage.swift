/// The manual page, layoutcache.1, generated from the help texts, in the `man` macros of roff.
///
/// Source: man(7). It uses only macros that every implementation has. Lines of the help that
/// start with a space are examples and tables, and stay verbatim.
struct ManualPage {
  private(set) var text = ""

  /// - Parameter version: The output of `--version`.
  init(of root: CommandDescription, version: String) {
    line(".TH LAYOUTCACHE 1 \"\" \"\(escaped(version))\" \"User Commands\"")
    line(".SH NAME")
    line(escaped(root.commandName) + " \\- " + escaped(uncapitalized(root.abstract ?? "")))
    line(".SH SYNOPSIS")
    line(".B \(root.commandName)")
    line("\\fIsubcommand\\fR [\\fIoptions\\fR]")
    line(".SH DESCRIPTION")
    // The blocks of the help with these headings are sections of the page.
    let headings = [
      "Exit codes:": "EXIT STATUS", "Environment:": "ENVIRONMENT", "Examples:": "EXAMPLES",
    ]
    var sections: [String: String] = [:]
    var description: [String] = []
    for block in (root.discussion ?? "").split(separator: "\n\n") {
      let heading = String(block.prefix { $0 != "\n" })
      if let title = headings[heading] {
        sections[title] = String(block.dropFirst(heading.count + 1))
      } else {
        description.append(String(block))
      }
    }
    paragraphs(description.joined(separator: "\n\n"))
    line(".SH SUBCOMMANDS")
    for subcommand in root.subcommands ?? [] { section(subcommand, of: root.commandName) }
    for title in ["EXIT STATUS", "ENVIRONMENT", "EXAMPLES"] {
      line(".SH \(title)")
      paragraphs(sections[title] ?? "")
    }
    line(".SH FILES")
    paragraphs(
      """
        \(DatabaseOptions.pathDefault)      the database, unless --database names another
        \(DatabaseOptions.pathDefault)-wal  its write-ahead log, while it is in use
        \(DatabaseOptions.pathDefault)-shm  the index of that log
        \(DatabaseOptions.pathDefault)-lock  the lock of the processes that use it; it stays
      """)
    line(".SH SEE ALSO")
    line(".BR sqlite3 (1),")
    line(".BR systemd.service (5)")
  }

  /// Appends a command, or its subcommands.
  private mutating func section(_ command: CommandDescription, of parents: String) {
    let name = "\(parents) \(command.commandName)"
    if let subcommands = command.subcommands?.filter({ $0.commandName != "help" }) {
      for subcommand in subcommands { section(subcommand, of: name) }
      return
    }
    line(".SS \(escaped(name))")
    line(escaped(command.abstract ?? "") + ".")
    line(".PP")
    let parameters = (command.arguments ?? []).filter { argument in
      !argument.spellings.contains("--help") && !argument.spellings.contains("--version")
    }
    line(([escaped(name)] + parameters.map(synopsis)).joined(separator: " "))
    paragraphs(command.discussion ?? "")
    var title: String?
    for parameter in parameters {
      if parameter.sectionTitle != title, let next = parameter.sectionTitle {
        line(".PP")
        line("\(escaped(next)):")
      }
      title = parameter.sectionTitle
      line(".TP")
      line(parameter.spellings.isEmpty ? value(parameter) : form(parameter))
      line(escaped(meaning(parameter)))
    }
  }

  /// Appends a help text: paragraphs and verbatim parts.
  private mutating func paragraphs(_ help: String) {
    line(".PP")
    var isVerbatim = false
    for row in help.split(separator: "\n", omittingEmptySubsequences: false) {
      let startsVerbatim = row.first == " "
      if row.isEmpty {
        line(isVerbatim ? "" : ".PP")
        continue
      }
      if startsVerbatim != isVerbatim {
        line(startsVerbatim ? ".PP\n.nf" : ".fi\n.PP")
        isVerbatim = startsVerbatim
      }
      line(escaped(String(row)))
    }
    if isVerbatim { line(".fi") }
  }

  private mutating func line(_ line: String) { text += line + "\n" }
}

private typealias Parameter = CommandDescription.Parameter

private func value(_ parameter: Parameter) -> String {
  "\\fI\(escaped(parameter.valueName ?? ""))\\fR"
}

/// Returns a parameter with all its spellings, as `--rect x,y,width,height`.
private func form(_ parameter: Parameter) -> String {
  let names = parameter.spellings.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
  return parameter.kind == .option ? "\(names) \(value(parameter))" : names
}

private func synopsis(_ parameter: Parameter) -> String {
  let whole: String
  if let spelling = parameter.spellings.last {
    let name = "\\fB\(escaped(spelling))\\fR"
    whole = parameter.kind == .option ? "\(name) \(value(parameter))" : name
  } else {
    whole = value(parameter)
  }
  return parameter.isOptional ? "[\(whole)]" : whole
}

private func meaning(_ parameter: Parameter) -> String {
  var remarks: [String] = []
  if let values = parameter.allValues {
    remarks.append("values: \(values.joined(separator: ", "))")
  }
  if let value = parameter.defaultValue { remarks.append("default: \(value)") }
  let meaning = parameter.abstract ?? ""
  return remarks.isEmpty ? meaning : "\(meaning) (\(remarks.joined(separator: "; ")))"
}

private func uncapitalized(_ text: String) -> String {
  text.prefix(1).lowercased() + text.dropFirst()
}

/// Returns the text with roff instructions escaped.
private func escaped(_ text: String) -> String {
  let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
  return plain.first == "." || plain.first == "'" ? "\\&" + plain : plain
}
