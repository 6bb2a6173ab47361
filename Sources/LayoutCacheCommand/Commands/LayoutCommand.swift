import ArgumentParser

struct LayoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layout",
    abstract: "Set, list, show and remove the layouts of a dataset",
    subcommands: [
      LayoutSetCommand.self, LayoutListCommand.self, LayoutShowCommand.self,
      LayoutRemoveCommand.self,
    ])
}
