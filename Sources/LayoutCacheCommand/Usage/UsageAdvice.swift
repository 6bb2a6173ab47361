import LayoutGeometry

/// The probable intention of a mistyped command line.
///
/// It is derived from the arguments, not from the parser's message, whose wording may change.
struct UsageAdvice {
  private let command: CommandDescription
  /// The command's words: `layoutcache layout set`.
  private let name: String
  private let rest: ArraySlice<String>
  private let root: CommandDescription

  /// - Parameter arguments: The arguments after the program's name, subcommands first.
  init(_ arguments: [String], in root: CommandDescription) {
    var (command, name, rest) = (root, root.commandName, arguments[...])
    while let word = rest.first, let next = command.subcommand(word) {
      (command, name, rest) = (next, "\(name) \(word)", rest.dropFirst())
    }
    if let word = command.defaultSubcommand, let next = command.subcommand(word) {
      (command, name) = (next, "\(name) \(word)")
    }
    (self.command, self.name, self.rest, self.root) = (command, name, rest, root)
  }

  /// Whether all arguments are the words of a command.
  var namesCommand: Bool { rest.isEmpty }

  /// Returns the error and the remedy, each in one clause.
  ///
  /// - Parameter message: The parser's message, used if there is no better one.
  func failure(_ message: String) -> Failure {
    if command.subcommands != nil {
      if let word = rest.first, !word.hasPrefix("-") {
        return Failure(.usage, "'\(name)' has no subcommand '\(excerpt(word))'", hint: about(word))
      }
      return Failure(.usage, message, hint: rest.first.map { aboutEarly(spelling(of: $0)) })
    }
    if let unknown = firstUnknownOption {
      return Failure(.usage, "unknown option '\(excerpt(unknown))'", hint: aboutUnknown(unknown))
    }
    // If something is missing, an example shows it.
    let example =
      message.hasPrefix("Missing") || message.hasSuffix("is needed")
      ? command.examples.first.map { "for example: \($0)" } : nil
    return Failure(.usage, message, hint: aboutDash(message) ?? aboutValues ?? example)
  }

  // MARK: - Subcommands

  private func about(_ word: String) -> String {
    let names = command.subcommands?.map(\.commandName) ?? []
    if let near = nearestName(to: word, among: names) { return "did you mean '\(name) \(near)'?" }
    // A subcommand at another level: `layoutcache layout query`.
    let others = root.subcommands?.map(\.commandName) ?? []
    if let near = nearestName(to: word, among: others) {
      return "did you mean 'layoutcache \(near)'?"
    }
    return "the subcommands are \(names.joined(separator: ", "))"
  }

  /// Returns advice on an option before the subcommand.
  private func aboutEarly(_ option: String) -> String {
    let leaves = root.leaves
    let spellings = leaves.flatMap { $0.command.optionSpellings }
    guard let meant = meantOptions(option, among: spellings).first else {
      return "start with a subcommand, as in 'layoutcache datasets'"
    }
    if meant != option { return "did you mean '\(meant)'?" }
    let owner = leaves.first { $0.command.optionSpellings.contains(meant) }?.name ?? name
    return "start with a subcommand, as in '\(owner) \(meant)'"
  }

  // MARK: - Options

  private typealias Parameter = CommandDescription.Parameter

  /// An argument as interpreted by the command's options.
  private enum Piece {
    case positional(String)
    case unknown(String)
    /// An option with its value, if it takes one, and the arguments after that.
    case option(String, Parameter, value: String?, ArraySlice<String>)
  }

  private var pieces: [Piece] {
    var pieces: [Piece] = []
    var arguments = rest
    while let argument = arguments.popFirst(), argument != "--" {
      guard argument.hasPrefix("-"), argument.count > 1, !argument.isNumberOrList else {
        pieces.append(.positional(argument))
        continue
      }
      let option = spelling(of: argument)
      guard let parameter = command.parameter(spelled: option) else {
        pieces.append(.unknown(option))
        continue
      }
      var value: String?
      if parameter.kind == .option {
        value =
          argument.contains("=")
          ? String(argument.drop { $0 != "=" }.dropFirst())
          : arguments.first.flatMap { isOption($0) ? nil : $0 }
        if !argument.contains("="), value != nil { arguments.removeFirst() }
      }
      pieces.append(.option(option, parameter, value: value, arguments))
    }
    return pieces
  }

  private var firstUnknownOption: String? {
    for case .unknown(let option) in pieces { return option }
    return nil
  }

  private func aboutUnknown(_ option: String) -> String {
    let meant = meantOptions(option, among: command.optionSpellings)
    if !meant.isEmpty {
      return "did you mean \(meant.map { "'\($0)'" }.joined(separator: " or "))?"
    }
    let own = command.arguments.compactMap(\.spellings.last)
      .filter { $0 != "--help" && $0 != "--version" }
    let has = "'\(name)' has \(listing(own))"
    let other = root.leaves.first { $0.command.optionSpellings.contains(option) }
    return clauses(other.map { "it is an option of '\($0.name)'" }, has)
  }

  /// Advice on a value that the parser has taken for an option.
  private func aboutDash(_ message: String) -> String? {
    guard message.hasPrefix("Missing value for") else { return nil }
    for case .option(let option, _, let value?, _) in pieces where value.hasPrefix("-") {
      return "write \(option)=\(excerpt(value))"
    }
    return nil
  }

  /// Advice on values that the parser rejects, or would have rejected next.
  private var aboutValues: String? {
    var positionals: [String] = []
    var given: Set<String> = []
    for piece in pieces {
      switch piece {
      case .unknown: break
      case .positional(let word): positionals.append(word)
      case .option(let option, let parameter, let value, let rest):
        given.insert(option)
        guard parameter.kind == .option else { break }
        guard let value else { return "give \(option) a value" }
        if let advice = aboutValue(value, of: parameter, option, before: rest) { return advice }
      }
    }
    return aboutPositionals(positionals, given)
  }

  /// Returns the error in a value that the parser may have rejected.
  private func aboutValue(
    _ value: String, of parameter: Parameter, _ option: String,
    before arguments: ArraySlice<String>
  ) -> String? {
    if let values = parameter.allValues, !values.contains(value) {
      return didYouMean(value, among: values)
    }
    let count = (parameter.valueName ?? "").split(separator: ",").count
    guard count > 1, value.isNumberOrList else { return nil }
    // Numbers separated by spaces instead of, or in addition to, commas.
    let more = arguments.prefix { $0.isNumberOrList }
    let numbers = ([value] + more).flatMap { $0.split(separator: ",") }
    guard !more.isEmpty, numbers.count == count else { return nil }
    return "write the numbers with commas and without spaces: \(option) "
      + numbers.joined(separator: ",")
  }

  /// Returns advice on extra positional arguments, which may be names for options.
  private func aboutPositionals(_ positionals: [String], _ given: Set<String>) -> String? {
    let places = command.arguments.filter { $0.kind == .positional }
    guard positionals.count > places.count, !places.contains(where: \.isRepeating) else {
      return nil
    }
    let extra = positionals[places.count]
    if extra.isNumberOrList, command.optionSpellings.contains("--rect"), !given.contains("--rect") {
      return "did you mean '--rect \(excerpt(extra))'?"
    }
    let options = ["--dataset", "--layout"].filter {
      command.optionSpellings.contains($0) && !given.contains($0)
    }
    if !options.isEmpty {
      let meant = options.map { "'\($0) \(excerpt(extra))'" }.joined(separator: " or ")
      return "did you mean \(meant)?"
    }
    let wanted = places.compactMap(\.valueName).map { "<\($0)>" }.joined(separator: " ")
    return "'\(name)' takes " + (places.isEmpty ? "options only" : "only \(wanted)")
  }

  /// Returns the options that a mistyped one may mean: one, or several whose names contain it.
  private func meantOptions(_ option: String, among spellings: [String]) -> [String] {
    if spellings.contains(option) { return [option] }
    let word = option.drop { $0 == "-" }
    let long = spellings.filter { $0.hasPrefix("--") }
    if let near = nearestName(to: option, among: long) { return [near] }
    return word.count < 4 ? [] : Array(long.filter { $0.contains(word) }.prefix(3))
  }

  private func isOption(_ text: String) -> Bool {
    text.hasPrefix("--") && command.optionSpellings.contains(spelling(of: text))
  }

  private func spelling(of argument: String) -> String {
    String(argument.prefix { $0 != "=" })
  }
}

extension CommandDescription {
  /// The commands without subcommands, with their words.
  fileprivate var leaves: [(name: String, command: CommandDescription)] {
    guard let subcommands else { return [(commandName, self)] }
    return subcommands.flatMap { subcommand in
      subcommand.leaves.map { ("\(commandName) \($0.name)", $0.command) }
    }
  }

  /// The example command lines in its help.
  var examples: [String] {
    discussion.split(separator: "\n").map { $0.drop { $0 == " " } }
      .filter { $0.hasPrefix("layoutcache ") }.map(String.init)
  }
}

extension String {
  /// Whether the text contains only digits and characters of number lists.
  fileprivate var isNumberOrList: Bool {
    utf8.contains { 0x30...0x39 ~= $0 } && utf8.allSatisfy { "0123456789.,-+".utf8.contains($0) }
  }
}
