import Foundation
import TestSupport
import Testing

@testable import LayoutCacheCommand

/// The examples of the help, run unchanged on the data of `layoutcache demo`.
struct ExampleTests {
  private static func leaves(of command: CommandDescription) -> [CommandDescription] {
    guard let subcommands = command.subcommands else { return [command] }
    return subcommands.filter { $0.commandName != "help" }.flatMap(leaves)
  }

  private static func withDemo() throws -> Workplace {
    let place = try Workplace()
    try place.expect(0, "demo", "--items", "0", "--database", "layoutcache.sqlite")
    try place.expect(0, "layout", "set", "phone", "--kind", "waterfall", "--width", "400")
    try place.expect(0, "template", "set", "phone", "--datasets", "album-*", "--width", "400")
    try place.expect(0, "view", "set", "newest", "--order", "-acquired")
    let feed = "key,width,height,section\na1,4,3,one\na2,0,3,one\na3,4,4,two\n"
    try place.write(feed, to: "feed.csv")
    try place.write(#"{"op":"delete","keys":["A00001"]}"#, to: "batch.ndjson")
    try place.write("app hs256 * \(String(repeating: "A", count: 64))\n", to: "tokens")
    try place.write(#"{"container":{"width":390},"section":{"columns":2}}"#, to: "phone.json")
    return place
  }

  /// Returns the arguments that a test adds to an example.
  private static func additions(to words: [String]) -> [String] {
    // One row of the feed is invalid on purpose, for --rejects.
    if words.contains("feed.csv") && !words.contains("--rejects") {
      return ["--on-invalid", "skip"]
    }
    // The demo measures a million items within a second, but not in a debug build.
    return words.contains("demo") ? ["--items", "0"] : []
  }

  @Test func everySubcommandHasAWorkingExample() throws {
    let place = try Self.withDemo()
    let database = place.folder.path(of: "layoutcache.sqlite")
    let original = try Data(contentsOf: URL(fileURLWithPath: database))
    for command in Self.leaves(of: CommandDescription.root)
    where !["serve", "open"].contains(command.commandName) {
      #expect(!command.examples.isEmpty, "\(command.commandName)")
      for example in command.examples {
        try place.write(original, to: "layoutcache.sqlite")
        let words = example.split(separator: " ").map(String.init)
        // These need PostgreSQL; the tests of the service run them.
        if words.contains("cluster") { continue }
        let input =
          words.contains("import")
          ? "key,width,height\nnew,1,2\n" : #"{"op":"delete","keys":["A00001"]}"#
        let run = try place.run(words.dropFirst() + Self.additions(to: words), input: input)
        #expect(run.exitCode == 0, "\(example): \(run.errorOutput)")
      }
    }
  }

  @Test func rootExamplesWorkInSequence() throws {
    let place = try Self.withDemo()
    let root = CommandDescription.root
    #expect(root.examples.count == 5)
    // It serves until a signal ends it; `OpenCommandTests` run it.
    for example in root.examples where !example.contains(" open ") {
      let words = example.split(separator: " ").map(String.init)
      let run = try place.run(words.dropFirst() + Self.additions(to: words))
      #expect(run.exitCode == 0, "\(example): \(run.errorOutput)")
    }
  }
}
