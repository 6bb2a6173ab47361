import ArgumentParser
import LayoutCache
import LayoutGeometry

/// The dataset that a command works on.
struct DatasetOption: ParsableArguments {
  static let variable = "LAYOUTCACHE_DATASET"

  @Option(
    help: "The dataset (default: $\(variable), or the only one)", completion: .datasets,
    transform: datasetName)
  var dataset: String?

  /// The dataset named by the option, or by the environment.
  var stated: String? { dataset ?? Self.environmentName }

  /// Returns the dataset named by the option or the environment, or the only dataset.
  ///
  /// - Throws: ``Failure`` that lists the datasets if there are several.
  func name(in cache: LayoutCache) throws -> String { try dataset ?? Self.unnamed(in: cache) }

  private static var environmentName: String? {
    environmentVariable(variable).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the dataset if no option names one.
  ///
  /// - Throws: As ``name(in:)``.
  static func unnamed(in cache: LayoutCache) throws -> String {
    if let environmentName { return environmentName }
    let names = try cache.datasetNames()
    if names.count == 1 { return names[0] }
    throw names.isEmpty
      ? Failure(.notFound, "the database has no dataset", hint: "'layoutcache import' creates one")
      : Failure(
        .usage, "the database has several datasets; choose one with --dataset",
        hint: "the datasets are \(listing(names))")
  }
}

/// The layout of a dataset that a command works on.
struct LayoutOptions: ParsableArguments {
  @OptionGroup var datasetOption: DatasetOption

  @Option(help: "The layout (default: the only one)", completion: .layouts, transform: layoutName)
  var layout: String?

  /// Returns the layout named by the option, or the dataset's only layout.
  ///
  /// - Throws: ``Failure`` that lists the layouts if there are several.
  func id(in cache: LayoutCache) throws -> LayoutID {
    try LayoutID(named: layout, of: datasetOption.name(in: cache), in: cache)
  }
}

extension LayoutID {
  /// Creates the ID of a named layout, or, without a name, of the dataset's only layout.
  ///
  /// - Throws: ``Failure`` that lists the layouts if there are several.
  init(named name: String?, of dataset: String, in cache: LayoutCache) throws {
    if let name {
      self.init(name, of: dataset)
      return
    }
    let names = try cache.layoutNames(of: dataset)
    guard names.count <= 1 else {
      throw Failure(
        .usage, "dataset '\(excerpt(dataset))' has several layouts; choose one with --layout",
        hint: "its layouts are \(listing(names))")
    }
    guard let only = names.first else {
      throw Failure(
        .notFound, "dataset '\(excerpt(dataset))' has no layout",
        hint: "'layoutcache layout set' creates one")
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

func templateName(_ text: String) throws -> String { try name(text, as: "template name") }

func viewName(_ text: String) throws -> String { try name(text, as: "view name") }

private func name(_ text: String, as subject: LimitError.Subject) throws -> String {
  do {
    try Limits.check(name: text, as: subject)
  } catch {
    throw ValidationError(error.description)
  }
  return text
}
