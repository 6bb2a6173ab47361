import ArgumentParser
import TextFormats

/// The members of `section` that say which columns a waterfall or grid has.
struct ColumnFlags: ParsableArguments {
  @Option(parsing: .unconditional, help: "The columns (default: 2)")
  var columns: Int?

  @Option(
    parsing: .unconditional,
    help: "As many columns as fit of at least this width", transform: { try number($0) })
  var minimumColumnWidth: Double?

  @Option(
    parsing: .unconditional,
    help: "The gap between two columns (default: 0)", transform: { try number($0) })
  var columnSpacing: Double?

  @Option(
    parsing: .unconditional,
    help: "The gap between two items of a column (default: 0)", transform: { try number($0) })
  var lineSpacing: Double?

  @Option(
    parsing: .unconditional,
    help: "How long a grid's rows are: square or a number of points (default: square)")
  var rowLength: String?

  /// Appends the members that are given.
  func write(to json: inout JSONWriter) {
    json.optionalMember("columns", columns)
    json.optionalMember("minimumColumnWidth", minimumColumnWidth)
    json.optionalMember("columnSpacing", columnSpacing)
    json.optionalMember("lineSpacing", lineSpacing)
    json.optionalMember("rowLength", nameOrNumber: rowLength)
  }
}

extension JSONWriter {
  /// Appends a member, unless its value is `nil`: a number where the text is one. What
  /// is none is a name, which the configuration knows or refuses.
  mutating func optionalMember(_ name: String, nameOrNumber text: String?) {
    guard let text else { return }
    if let length = try? number(text) {
      member(name, length)
    } else {
      member(name, text)
    }
  }
}
