import ArgumentParser
import LayoutCache
import LayoutGeometry

/// Which dataset a command works on.
struct DatasetOption: ParsableArguments {
  static let variable = "LAYOUTCACHE_DATASET"

  @Option(
    help: "The dataset (default: $\(variable), or the only one)", completion: .datasets,
    transform: datasetName)
  var dataset: String?

  /// The dataset: as the option says, or the environment.
  var stated: String? { dataset ?? Self.environmentName }

  /// The dataset: as the option says, or the environment, or the only one that there is.
  ///
  /// - Throws: ``Failure`` that lists them where there are several.
  func name(in cache: LayoutCache) throws -> String { try dataset ?? Self.unnamed(in: cache) }

  private static var environmentName: String? {
    environmentVariable(variable).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The dataset where no option names one.
  ///
  /// - Throws: As ``name(in:)``.
  static func unnamed(in cache: LayoutCache) throws -> String {
    if let environmentName { return environmentName }
    let names = try cache.datasetNames()
    if names.count == 1 { return names[0] }
    throw names.isEmpty
      ? Failure(.notFound, "the database has no dataset", hint: "'layoutcache import' makes one")
      : Failure(
        .usage, "there are several datasets; say which with --dataset",
        hint: "there are \(listing(names))")
  }
}

/// Which layout of a dataset a command works on.
struct LayoutOptions: ParsableArguments {
  @OptionGroup var datasetOption: DatasetOption

  @Option(
    help: "The layout (default: the only one)", completion: .layouts, transform: layoutName)
  var layout: String?

  /// The layout: as the option says, or the only one that the dataset has.
  ///
  /// - Throws: ``Failure`` that lists them where there are several.
  func id(in cache: LayoutCache) throws -> LayoutID {
    try LayoutID(named: layout, of: datasetOption.name(in: cache), in: cache)
  }
}

extension LayoutID {
  /// The layout of a name, or, without one, the only one of a dataset.
  ///
  /// - Throws: ``Failure`` that lists them where there are several.
  init(named name: String?, of dataset: String, in cache: LayoutCache) throws {
    if let name {
      self.init(name, of: dataset)
      return
    }
    let names = try cache.layoutNames(of: dataset)
    guard names.count <= 1 else {
      throw Failure(
        .usage, "dataset '\(excerpt(dataset))' has several layouts; say which with --layout",
        hint: "it has \(listing(names))")
    }
    guard let only = names.first else {
      throw Failure(
        .notFound, "dataset '\(excerpt(dataset))' has no layout",
        hint: "'layoutcache layout set' makes one")
    }
    self.init(only, of: dataset)
  }
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
