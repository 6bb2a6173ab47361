import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A command as the argument parser describes it: what the help says, for who needs its parts.
///
/// It is read from the parser's own description in JSON, because the parser offers its tree of
/// options in no other way. Reading it takes milliseconds, so only failures and the manual do.
struct CommandDescription: Decodable {
  /// An option, a flag or a positional argument.
  struct Parameter: Decodable {
    enum Kind: String, Decodable { case positional, option, flag }

    struct Name: Decodable {
      var kind: String
      var name: String

      /// As it is typed: `--rect`, `-o`.
      var text: String { (kind == "long" ? "--" : "-") + name }
    }

    var kind: Kind
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var defaultValue: String?
    /// The values that there are, of an enumeration.
    var allValues: [String]?
    var isOptional: Bool
    var isRepeating: Bool
    /// The heading that it is under in the help.
    var sectionTitle: String?

    /// As they are typed.
    var spellings: [String] { (names ?? []).map(\.text) }
  }

  var commandName: String
  var abstract: String?
  var discussion: String?
  var subcommands: [CommandDescription]?
  var arguments: [Parameter]?

  /// The whole command line, without the parser's own `help`.
  static func root() throws -> CommandDescription {
    struct Dump: Decodable { var command: CommandDescription }
    let text = RootCommand._dumpHelp()
    var root = try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command
    root.subcommands?.removeAll { $0.commandName == "help" }
    return root
  }

  /// The spellings of its options and flags.
  var optionSpellings: [String] { (arguments ?? []).flatMap(\.spellings) }

  func parameter(spelled spelling: String) -> Parameter? {
    arguments?.first { $0.spellings.contains(spelling) }
  }

  func subcommand(_ name: String) -> CommandDescription? {
    subcommands?.first { $0.commandName == name }
  }
}
