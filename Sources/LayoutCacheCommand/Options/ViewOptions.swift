import ArgumentParser
import LayoutCache
import TextFormats

/// The part of a dataset that a command reads.
struct ViewOptions: ParsableArguments {
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
