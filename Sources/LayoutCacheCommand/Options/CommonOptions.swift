import ArgumentParser
import LayoutCache
import LayoutGeometry

/// Which dataset a command works on.
struct DatasetOption: ParsableArguments {
  @Option(help: "The dataset", transform: datasetName)
  var dataset: String
}

/// Which layout of a dataset a command works on.
struct LayoutOptions: ParsableArguments {
  @OptionGroup var datasetOption: DatasetOption

  @Option(help: "The layout", transform: layoutName)
  var layout: String

  var dataset: String { datasetOption.dataset }
  var id: LayoutID { LayoutID(layout, of: dataset) }
}

/// Whether a command prints JSON.
struct FormatOption: ParsableArguments {
  @Flag(help: "Print JSON instead of tables")
  var json = false
}

/// Checks the name of a dataset.
func datasetName(_ text: String) throws -> String { try name(text, as: "dataset name") }

/// Checks the name of a layout.
func layoutName(_ text: String) throws -> String { try name(text, as: "layout name") }

private func name(_ text: String, as subject: LimitError.Subject) throws -> String {
  do {
    try Limits.check(name: text, as: subject)
  } catch {
    throw ValidationError(error.description)
  }
  return text
}
