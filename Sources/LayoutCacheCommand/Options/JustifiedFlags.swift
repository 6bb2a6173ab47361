import ArgumentParser
import TextFormats

/// The members of `section` that only a justified section reads.
struct JustifiedFlags: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "The length that rows come near to; it must be given", transform: { try number($0) })
  var targetRowLength: Double?

  @Option(
    parsing: .unconditional,
    help: "The gap between two items and between two rows (default: 0)",
    transform: { try number($0) })
  var spacing: Double?

  @Option(help: "natural or fill (default: natural)")
  var lastRow: String?

  @Option(
    parsing: .unconditional,
    help: "How long a last row may become to fill its line (default: 1.5 of the target)",
    transform: { try number($0) })
  var maximumRowLength: Double?

  /// Appends the members that are given.
  func write(to json: inout JSONWriter) {
    json.optionalMember("targetRowLength", targetRowLength)
    json.optionalMember("spacing", spacing)
    json.optionalMember("lastRow", lastRow)
    json.optionalMember("maximumRowLength", maximumRowLength)
  }
}
