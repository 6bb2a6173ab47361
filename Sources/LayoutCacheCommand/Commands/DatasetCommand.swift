import ArgumentParser

struct DatasetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dataset", abstract: "Create, sort, rename and remove datasets",
    subcommands: [
      DatasetCreateCommand.self, DatasetOrderCommand.self, DatasetRenameCommand.self,
      DatasetRemoveCommand.self,
    ])
}
