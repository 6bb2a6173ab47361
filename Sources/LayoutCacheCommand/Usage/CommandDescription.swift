import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A command as described by the argument parser: the parts of its help.
///
/// It is decoded from the JSON that the parser dumps, the only access to its tree of options.
/// That takes milliseconds, so it is done at most once, for failures.
struct CommandDescription: Decodable {
  /// An option, a flag or a positional argument.
  struct Parameter: Decodable {
    enum Kind: String, Decodable { case positional, option, flag }

    struct Name: Decodable {
      var kind: String
      var name: String

      /// The name as typed: `--rect`, `-o`.
      var text: String { (kind == "long" ? "--" : "-") + name }
    }

    var kind: Kind
    var names: [Name]?
    var valueName: String?
    /// The values of an enumeration.
    var allValues: [String]?
    var isRepeating: Bool

    /// The names as typed.
    var spellings: [String] { (names ?? []).map(\.text) }
  }

  var commandName: String
  var discussion: String?
  var subcommands: [CommandDescription]?
  /// The subcommand that is meant without a name.
  var defaultSubcommand: String?
  var arguments: [Parameter]?

  /// Returns the whole command line, without the parser's `help` command.
  static func root() throws -> CommandDescription { try decoded.get() }

  private static let decoded = Result {
    struct Dump: Decodable { var command: CommandDescription }
    let text = RootCommand._dumpHelp()
    var root = try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command
    root.subcommands?.removeAll { $0.commandName == "help" }
    return root
  }

  /// The spellings of all options and flags.
  var optionSpellings: [String] { (arguments ?? []).flatMap(\.spellings) }

  func parameter(spelled spelling: String) -> Parameter? {
    arguments?.first { $0.spellings.contains(spelling) }
  }

  func subcommand(_ name: String) -> CommandDescription? {
    subcommands?.first { $0.commandName == name }
  }
}
