import ArgumentParser

struct LayoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layout", abstract: "Set, list, show, rename and remove the layouts of a dataset",
    subcommands: [
      LayoutSetCommand.self, LayoutListCommand.self, LayoutShowCommand.self,
      LayoutRenameCommand.self, LayoutRemoveCommand.self,
    ])
}
