import ArgumentParser

/// The arguments of a command line, reordered before they are parsed.
struct ArgumentOrder {
  /// Options that most subcommands accept, and that may precede the subcommand, with whether a
  /// value follows.
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
    // Without a subcommand they keep their order, and the parser rejects them.
    arguments = words + options + rest
  }

  /// Whether JSON is requested.
  var wantsJSON: Bool { arguments.prefix { $0 != "--" }.contains("--json") }

  /// The command that prints the subcommand's help.
  var helpInvocation: String { (["layoutcache"] + words + ["--help"]).joined(separator: " ") }
}
