import ArgumentParser

struct ShellCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Measure 'layoutcache query' started from a shell",
    discussion: """
      Queries visible rectangles at random positions of a waterfall, each in a separate process, \
      timed from start to exit. Baselines: the SQLite shell, if installed, reading the same items \
      from one indexed table, and a program that does nothing. The files are in the page cache.
      """)

  @Argument(help: "The built layoutcache")
  var program: String

  @OptionGroup var options: SizeOptions

  func run() throws {
    let run = ShellRun(program: program)
    try options.run(
      default: [1_000_000],
      { try run.measure(itemCount: $0, folder: $1, announce: $2) },
      text: \.text, json: ShellSize.json)
  }
}
