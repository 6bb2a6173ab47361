import ArgumentParser

struct ShellCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Measure 'layoutcache query' as a shell starts it",
    discussion: """
      Visible rectangles at random places of a waterfall, each in a process of its own, from its \
      start to its end, beside SQLite's own shell that reads the same items of one indexed table, \
      where there is one, and a program that does nothing. The files are in the system's memory.
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
