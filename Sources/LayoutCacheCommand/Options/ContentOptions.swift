import ArgumentParser
import TextFormats

/// The options about the contents of a file: the table of ``ImportOption`` as flags.
struct ContentOptions: ParsableArguments {
  @Option(help: "The column or member with the item's key (default: key)")
  var key: String?

  @Option(help: "The column or member with the natural width (default: width)")
  var width: String?

  @Option(help: "The column or member with the natural height (default: height)")
  var height: String?

  @Option(help: ArgumentHelp("The size of rows that have none, in points", valueName: "WxH"))
  var size: String?

  @Option(help: "A factor for the widths and heights in the file, such as 100 for metres")
  var scale: String?

  @Option(
    help: ArgumentHelp(
      "The column or member with EXIF's orientation; 5 to 8 swap width and height",
      valueName: "column"))
  var orientation: String?

  @Option(help: "The column or member with the section's key (default: section, if present)")
  var section: String?

  @Option(
    help: ArgumentHelp(
      "The order of sections: appearance, or value (default: appearance)", valueName: "order"))
  var sectionOrder: String?

  @Option(help: "The column or member with the column span (default: span, if present)")
  var span: String?

  @Option(
    help: ArgumentHelp(
      "The column or member with true, false or collapsed (default: hidden, if present)",
      valueName: "column"))
  var hidden: String?

  @Option(help: "The column or member with the section's style (default: style, if present)")
  var style: String?

  @Option(
    help: ArgumentHelp(
      "The columns or members with the items' data (default: the object in data, if present)",
      valueName: "name[=column][:type],..."))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "The character before decimals: point or comma (default: point)", valueName: "character"))
  var decimal: String?

  @Option(help: ArgumentHelp("The number of lines before the header", valueName: "N"))
  var skipLines: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Whether the first row names the columns (default: --header); else they are 1, 2, ...")
  var header: Bool?

  @Option(
    help: ArgumentHelp(
      "The member of a JSON object with the list of items", valueName: "member"))
  var items: String?

  @OptionGroup var order: OrderOptions

  /// - Throws: `ValidationError` for a value that an option does not have.
  var options: ImportOptions {
    get throws {
      var options = ImportOptions()
      for (option, value) in [
        (.key, key), (.width, width), (.height, height), (.size, size), (.scale, scale),
        (.orientation, orientation), (.section, section), (.sectionOrder, sectionOrder),
        (.span, span), (.hidden, hidden), (.style, style), (.data, data), (.decimal, decimal),
        (.skipLines, skipLines), (.header, header.map(String.init)), (.items, items),
        (.order, order.order), (.sections, order.sections),
      ] as [(ImportOption, String?)] {
        guard let value else { continue }
        do { try options.set(option, value) } catch {
          throw ValidationError("\(option.flag): \(error)")
        }
      }
      return options
    }
  }

  func validate() throws { _ = try options }
}
