import ArgumentParser

/// The arguments of a command line, taken apart before they are parsed.
struct ArgumentOrder {
  /// Options that most subcommands take, which may be before their names too, and whether
  /// a value follows.
  private static let shared = [
    "--database": true, "--dataset": true, "--layout": true, "--json": false,
  ]

  /// The subcommand's words; empty without one.
  private(set) var words: [String] = []
  /// All arguments, the subcommand's words first.
  let arguments: [String]

  init(_ given: some Sequence<String>) {
    var rest = Array(given)[...]
    var options: [String] = []
    var command: any ParsableCommand.Type = RootCommand.self
    while let argument = rest.first {
      if let next = command.configuration.subcommands.first(
        where: { $0.configuration.commandName == argument })
      {
        words.append(argument)
        command = next
        rest.removeFirst()
      } else if !command.configuration.subcommands.isEmpty,
        let takesValue = Self.shared[String(argument.prefix { $0 != "=" })]
      {
        let count = takesValue && !argument.contains("=") ? 2 : 1
        options += rest.prefix(count)
        rest = rest.dropFirst(count)
      } else {
        break
      }
    }
    // Without a subcommand they stay where they were, for the parser to refuse.
    arguments = words + options + rest
  }

  /// Whether the answer is for a program.
  var wantsJSON: Bool { arguments.prefix { $0 != "--" }.contains("--json") }

  /// The command that prints the subcommand's help.
  var helpInvocation: String { (["layoutcache"] + words + ["--help"]).joined(separator: " ") }
}
