import ArgumentParser

struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print the manual page, for 'man -l -'",
    discussion: """
      Packages install it as layoutcache.1.

      Example:
        layoutcache manual
      """, shouldDisplay: false)

  func run() throws {
    let page = ManualPage(
      of: try CommandDescription.root(), version: RootCommand.configuration.version)
    var output = StandardOutput()
    try output.write(page.text)
    try output.flush()
  }
}
