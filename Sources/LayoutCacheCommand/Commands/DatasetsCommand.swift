import ArgumentParser
import LayoutCache

struct DatasetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "datasets", abstract: "List the datasets of the database")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    let datasets = try database.withCache { try $0.datasets() }
    try output.print(
      "datasets", datasets, DatasetDescription.fields, whenEmpty: "no datasets")
  }
}

extension DatasetDescription {
  fileprivate static var fields: [AnswerField<Self>] {
    [
      AnswerField("dataset", \.name), AnswerField("revision", \.revision),
      .json("incarnation", \.incarnation),
      AnswerField("sections", \.sectionCount), AnswerField("items", \.itemCount),
      AnswerField("layouts", \.layouts),
    ]
  }
}
