import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A command as described by the argument parser: the parts of its help.
final class CommandDescription {
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

  private let type: any ParsableCommand.Type

  /// The whole command line.
  static var root: CommandDescription { CommandDescription(RootCommand.self) }

  private init(_ type: any ParsableCommand.Type) { self.type = type }

  var commandName: String { type._commandName }
  var discussion: String { type.configuration.discussion }
  /// `nil` for a command without subcommands.
  private(set) lazy var subcommands: [CommandDescription]? =
    type.configuration.subcommands.isEmpty
    ? nil : type.configuration.subcommands.map(CommandDescription.init)
  /// The name of the subcommand that is meant without a name.
  var defaultSubcommand: String? { type.configuration.defaultSubcommand?._commandName }

  /// The options, flags and positional arguments.
  ///
  /// They are decoded from the JSON that the parser dumps, the only access to them. That takes some
  /// of a command's time, so it is done for few of them, after failures.
  private(set) lazy var arguments: [Parameter] = {
    struct Dump: Decodable {
      struct Command: Decodable { var arguments: [Parameter]? }
      var command: Command
    }
    // If the parser's description can't be read, messages have no advice on options.
    let dump = try? JSONDecoder().decode(Dump.self, from: Data(type._dumpHelp().utf8))
    return dump?.command.arguments ?? []
  }()

  /// The spellings of all options and flags.
  var optionSpellings: [String] { arguments.flatMap(\.spellings) }

  func parameter(spelled spelling: String) -> Parameter? {
    arguments.first { $0.spellings.contains(spelling) }
  }

  func subcommand(_ name: String) -> CommandDescription? {
    subcommands?.first { $0.commandName == name }
  }
}
