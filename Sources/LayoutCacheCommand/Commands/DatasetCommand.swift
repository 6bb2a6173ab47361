import ArgumentParser

struct DatasetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dataset",
    abstract: "Create, rename and remove datasets",
    subcommands: [
      DatasetCreateCommand.self, DatasetRenameCommand.self, DatasetRemoveCommand.self,
    ])
}
