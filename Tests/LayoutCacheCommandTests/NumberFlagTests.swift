import Foundation
import TestSupport
import Testing

@testable import LayoutCacheCommand

// Strategy: each option of each command, as described by the argument parser, gets extreme
// numbers, empty texts and very long ones: as the whole value, or in each and in all components
// of a point, rectangle, size or insets. New options are therefore tested automatically; a new
// command must be added to `bases`, with valid arguments.
//
// Invariants: exit code 0, 1 for an unexpected revision, or 64 to 66; one line per failure. An
// accepted layout can be queried, or the query explains why not.

@Suite struct NumberFlagTests {
  /// Valid arguments for each command, positional ones first.
  private static let bases: [String: [String]] = [
    "import": ["feed.csv", "--dataset", "other", "--replace"], "export": [], "datasets": [],
    "dataset create": ["new"], "dataset order": ["none", "--order", "a"],
    "dataset remove": ["none"], "dataset rename": ["none", "other"],
    "layout set": layout, "layout list": [], "layout show": ["phone"], "layout remove": ["none"],
    "layout rename": ["none", "other"], "template list": [],
    "template set": ["none", "--datasets", "none", "--width", "220"], "template show": ["none"],
    "template remove": ["none"], "view list": [], "view show": ["none"], "view remove": ["none"],
    "view set": ["none", "--order", "a"], "query": ["--rect", "0,0,220,400"],
    "update": ["batch.ndjson"], "undo": [], "log": [], "prepare": [], "inspect": [], "verify": [],
    "compact": [], "backup": ["copy.sqlite"], "restore": ["none.sqlite"],
    "render": ["--rect", "0,0,220,400", "-o", "picture.svg"],
    "demo": ["--database", "demo.sqlite"], "serve": ["--print-configuration"],
    "token create": ["shop", "--write", "*"], "token sign": ["none", "--datasets", "a"],
  ]

  /// Arguments for options that cannot use those of `bases`.
  private static let contexts: [String: [String]] = [
    "query --from": [], "query --count": ["--from", "a"], "query --after": [],
    "query --since": [], "query --key": [], "query --point": [],
    "query --anchor": ["--key", "a"], "prepare --from": ["--rebalance"],
    "prepare --item": ["--invalidate"], "prepare --kind": ["--invalidate"],
    "prepare --section": ["--invalidate"],
    "inspect --limit": ["--sections"], "inspect --after": ["--sections"],
    "inspect --offset": ["--sections", "--layout", "phone"],
    "layout set --maximum-scale": layout + ["--effect", "scale"],
    "layout set --maximum-angle": layout + ["--effect", "rotary"],
    "layout set --background-inset": layout + ["--background", "card"],
    "layout set --background-z-index": layout + ["--background", "card"],
    "layout set --step": anyWidth, "layout set --keep": anyWidth,
  ]
  private static let anyWidth = ["tried", "--dataset", "feed", "--any-width"]
  private static let layout = ["tried", "--dataset", "feed", "--width", "220"]

  /// Options that name files, and commands that run until stopped or need another server.
  private static let untried: Set<String> = [
    "--database", "--config", "--output", "--rejects", "--tokens", "--log",
  ]
  private static let untriedCommands: Set<String> = ["cluster", "open"]

  private static let texts = Extremes.texts + [""]
  /// For options that take names.
  private static let nameTexts = [
    "", "-1", "9223372036854775808", String(repeating: "9", count: 10_000),
  ]

  /// Returns the names of executable commands, such as "layout set".
  private static func commands(
    _ description: CommandDescription, _ words: [String] = []
  ) -> [String: CommandDescription] {
    let own = words.isEmpty ? [:] : [words.joined(separator: " "): description]
    guard let subcommands = description.subcommands, !subcommands.isEmpty else { return own }
    return subcommands.filter { !untriedCommands.contains($0.commandName) || !words.isEmpty }
      .reduce(into: [:]) { found, subcommand in
        found.merge(commands(subcommand, words + [subcommand.commandName])) { first, _ in first }
      }
  }

  @Test func everyCommandIsTested() throws {
    let commands = Set(Self.commands(CommandDescription.root).keys)
    let known = Set(Self.bases.keys)
    #expect(commands.subtracting(known).sorted() == [], "add these commands to `bases`")
    // Other builds lack the service.
    #expect(known.subtracting(commands).isSubset(of: ["serve", "token create", "token sign"]))
  }

  @Test(.property, arguments: bases.keys.sorted(), PropertyRun.seeds.suffix(1))
  func noNumberCausesAnInternalError(name: String, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    guard let command = Self.commands(CommandDescription.root)[name] else { return }
    let place = try Workplace.withFeed()
    try place.write(#"{"op":"resize","key":"a","width":90,"height":60}"# + "\n", to: "batch.ndjson")
    let words = name.split(separator: " ").map(String.init)
    let base = Self.bases[name] ?? []
    for parameter in command.arguments where parameter.kind != .flag {
      let spelling = parameter.spellings.first { $0.hasPrefix("--") } ?? parameter.spellings.first
      if parameter.spellings.contains(where: Self.untried.contains) { continue }
      if spelling == nil, parameter.valueName?.contains("file") ?? true { continue }
      // Three random texts, more with LAYOUTCACHE_STEPS.
      for text in Self.values(of: parameter).shuffled(using: &generator)
        .prefix(PropertyRun.steps(3))
      {
        var arguments = words
        if let spelling {
          arguments += Self.without(spelling, Self.contexts["\(name) \(spelling)"] ?? base)
          arguments += [spelling, text]
        } else {
          arguments += [text] + base.dropFirst()
        }
        let run = try place.run(arguments)
        try Self.check(run, arguments)
        if name == "layout set", run.exitCode == 0 {
          let query = ["query", "--layout", "tried", "--rect", "0,0,1000,1000"]
          try Self.check(place.run(query), arguments + ["and"] + query)
        }
      }
    }
  }

  private static func without(_ spelling: String, _ arguments: [String]) -> [String] {
    var arguments = arguments
    if let index = arguments.firstIndex(of: spelling) {
      arguments.removeSubrange(index...(index + 1))
    }
    return arguments
  }

  /// Returns the texts that an option is tested with.
  private static func values(of parameter: CommandDescription.Parameter) -> [String] {
    let valueName = parameter.valueName ?? ""
    for separator in [",", " x "] where valueName.contains(separator) {
      let count = valueName.components(separatedBy: separator).count
      let joint = separator.trimmingCharacters(in: .whitespaces)
      return texts.enumerated().flatMap { index, text in
        // Each component in turn, and all of them.
        var numbers = Array(repeating: "10", count: count)
        numbers[index % count] = text
        return [
          numbers.joined(separator: joint),
          Array(repeating: text, count: count).joined(separator: joint),
        ]
      }
    }
    let isName = parameter.allValues != nil || ["dataset", "layout"].contains(valueName)
    return isName ? nameTexts : texts
  }

  private static func check(_ run: Invocation, _ arguments: [String]) throws {
    let shown = arguments.map { $0.count > 100 ? "\($0.prefix(20))..." : $0 }
    let context = Comment(rawValue: "\(shown): \(run.exitCode), \(run.errorOutput.prefix(1000))")
    #expect([0, 1, 64, 65, 66].contains(run.exitCode), context)
    if run.exitCode == 0 { return }
    #expect(run.errorLines.count == 1, context)
    #expect(run.errorOutput.hasPrefix("layoutcache: "), context)
    #expect(run.errorOutput.utf8.count < 1000, context)
    #expect(run.output.isEmpty, context)
  }
}
