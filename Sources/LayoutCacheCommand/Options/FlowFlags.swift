import ArgumentParser
import TextFormats

/// The members of `section` that a flow reads, and a circle's `itemSize`.
struct FlowFlags: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The size of all items, or natural (default: natural; a circle needs a size)",
      valueName: "width x height"),
    transform: ItemSizeFlag.init)
  var itemSize: ItemSizeFlag?

  @Option(
    parsing: .unconditional,
    help: "The length to which items are scaled (default: they are not)",
    transform: { try number($0) })
  var lineLength: Double?

  @Option(
    parsing: .unconditional,
    help: "The least gap between two items of a line (default: 0)",
    transform: { try number($0) })
  var minimumInteritemSpacing: Double?

  @Option(
    parsing: .unconditional,
    help: "The gap between two lines (default: 0)", transform: { try number($0) })
  var minimumLineSpacing: Double?

  @Option(help: "justified, leading, center or trailing (default: justified)")
  var lineAlignment: String?

  @Option(help: "Where items stand in their line: center, top or bottom (default: center)")
  var crossAlignment: String?

  /// Appends the members that are given.
  func write(to json: inout JSONWriter) {
    itemSize?.write("itemSize", to: &json)
    json.optionalMember("lineLength", lineLength)
    json.optionalMember("minimumInteritemSpacing", minimumInteritemSpacing)
    json.optionalMember("minimumLineSpacing", minimumLineSpacing)
    json.optionalMember("lineAlignment", lineAlignment)
    json.optionalMember("crossAlignment", crossAlignment)
  }
}
