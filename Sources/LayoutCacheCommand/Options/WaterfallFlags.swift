import ArgumentParser
import TextFormats

/// The members of `section` that only a waterfall reads.
struct WaterfallFlags: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "aspect, natural or a number of points (default: aspect)")
  var itemLength: String?

  @Option(
    parsing: .unconditional,
    help: "The least length of an item (default: 1/64)", transform: { try number($0) })
  var minimumLength: Double?

  @Option(
    parsing: .unconditional,
    help: "The greatest length of an item (default: no limit)", transform: { try number($0) })
  var maximumLength: Double?

  @Option(
    parsing: .unconditional,
    help: "How much longer than the shortest a column may be to be taken (default: 0)",
    transform: { try number($0) })
  var tolerance: Double?

  @Option(help: "stable or exact (default: stable)")
  var assignment: String?

  @Option(
    parsing: .unconditional,
    help: "How far columns may differ before they are rebalanced (default: two containers)",
    transform: { try number($0) })
  var maximumSkew: Double?

  @Option(help: "leading or cursor (default: leading)")
  var ties: String?

  /// Appends the members that are given.
  func write(to json: inout JSONWriter) {
    json.optionalMember("itemLength", nameOrNumber: itemLength)
    json.optionalMember("minimumLength", minimumLength)
    json.optionalMember("maximumLength", maximumLength)
    json.optionalMember("tolerance", tolerance)
    json.optionalMember("assignment", assignment)
    json.optionalMember("maximumSkew", maximumSkew)
    json.optionalMember("ties", ties)
  }
}
