import ArgumentParser
import LayoutCache
import TextFormats

/// A filter and an order of a dataset's items.
struct FilterOptions: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp(
      "Only the items that match a filter, such as 'price < 100 AND NOT sold EXISTS'",
      valueName: "filter"))
  var filter: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The members of data by which the items are sorted, each after a - for a descending order",
      valueName: "member,..."))
  var order: String?

  /// The view; `nil` for the whole dataset.
  ///
  /// - Throws: `ValidationError`.
  var view: DatasetView? {
    get throws {
      do { return try DatasetView.stated(where: filter, order: order) } catch {
        throw ValidationError("--\(error.parameter.rawValue): \(error.description)")
      }
    }
  }

  func validate() throws { _ = try view }
}

/// The part of a dataset that a command reads.
struct ViewOptions: ParsableArguments {
  @OptionGroup var items: FilterOptions

  @Option(help: "A named view, instead of --where and --order", transform: viewName)
  var view: String?

  /// Returns the view; `nil` for the whole dataset.
  func view(of dataset: String, in cache: LayoutCache) throws -> DatasetView? {
    try view.map { try cache.view($0, of: dataset) } ?? items.view
  }

  /// Whether only a part of the dataset is read, or in another order.
  var areGiven: Bool { view != nil || items.filter != nil || items.order != nil }

  func validate() throws {
    if view != nil, items.filter != nil || items.order != nil {
      throw ValidationError("--view cannot be combined with --where or --order")
    }
  }
}
