import ArgumentParser
import LayoutCache
import TextFormats

/// The order of a dataset.
struct OrderOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      The members of data by which the items are sorted, each after a - for a descending order; \
      none for the order in which they are
      """, valueName: "member,..."))
  var order: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The member of data that sections are derived from: its value, year, month or day",
      valueName: "member[:part]"))
  var sections: String?

  /// The stated order; `.some(nil)` for none.
  ///
  /// - Throws: `ValidationError`.
  var stated: DatasetOrder?? {
    get throws {
      do { return try DatasetOrder.stated(order: order, sections: sections) } catch {
        throw ValidationError("--order: \(error)")
      }
    }
  }
}
