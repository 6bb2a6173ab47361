import ArgumentParser
import TextFormats

/// The members of a configuration's `section` as flags.
struct SectionFlags: ParsableArguments {
  @Option(help: "How the items are placed: waterfall")
  var kind: String?

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

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The section's insets: one number, or four (default: 0)", valueName: "top,left,bottom,right"),
    transform: InsetFlag.init)
  var inset: InsetFlag?

  @Option(
    parsing: .unconditional,
    help: "The header's length (default: 0, no header)", transform: { try number($0) })
  var header: Double?

  @Option(
    parsing: .unconditional,
    help: "The footer's length (default: 0, no footer)", transform: { try number($0) })
  var footer: Double?

  @Flag(help: "Keep the header in sight while its section is")
  var pinsHeader = false

  @Flag(help: "Keep the footer in sight while its section is")
  var pinsFooter = false

  @Option(help: ArgumentHelp("A decoration behind the items", valueName: "kind"))
  var background: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The background's insets: one number, or four (default: 0)",
      valueName: "top,left,bottom,right"),
    transform: InsetFlag.init)
  var backgroundInset: InsetFlag?

  @Option(parsing: .unconditional, help: "The background's z-index (default: -1)")
  var backgroundZIndex: Int?

  func validate() throws {
    if background == nil && (backgroundInset != nil || backgroundZIndex != nil) {
      throw ValidationError("--background-inset and --background-z-index need --background")
    }
  }

  /// Whether any flag is given.
  var areGiven: Bool {
    var json = JSONWriter()
    write(to: &json)
    return json.bytes != Array("{}".utf8)
  }

  /// Writes the members that are given as one object.
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.optionalMember("kind", kind)
    json.optionalMember("columns", columns)
    json.optionalMember("minimumColumnWidth", minimumColumnWidth)
    json.optionalMember("columnSpacing", columnSpacing)
    json.optionalMember("lineSpacing", lineSpacing)
    if let itemLength {
      if let length = try? number(itemLength) {
        // What is no number is a name, which the configuration knows or refuses.
        json.member("itemLength", length)
      } else {
        json.member("itemLength", itemLength)
      }
    }
    json.optionalMember("minimumLength", minimumLength)
    json.optionalMember("maximumLength", maximumLength)
    json.optionalMember("tolerance", tolerance)
    json.optionalMember("assignment", assignment)
    json.optionalMember("maximumSkew", maximumSkew)
    json.optionalMember("ties", ties)
    inset?.write("inset", to: &json)
    json.optionalMember("header", header)
    json.optionalMember("footer", footer)
    if pinsHeader { json.member("pinsHeader", true) }
    if pinsFooter { json.member("pinsFooter", true) }
    if let background {
      json.member("background")
      json.beginObject()
      json.member("kind", background)
      backgroundInset?.write("inset", to: &json)
      json.optionalMember("zIndex", backgroundZIndex)
      json.endObject()
    }
    json.endObject()
  }
}

/// Insets as a flag states them: one number for all sides, or four.
struct InsetFlag {
  private let sides: [Double]

  init(_ text: String) throws {
    let parts = try text.split(separator: ",", omittingEmptySubsequences: false)
      .map { try number($0.trimmingSpaces) }
    switch parts.count {
    case 1: sides = Array(repeating: parts[0], count: 4)
    case 4: sides = parts
    default: throw ValidationError("it takes one number or four, TOP,LEFT,BOTTOM,RIGHT")
    }
  }

  func write(_ member: String, to json: inout JSONWriter) {
    json.member(member)
    json.beginObject()
    for (name, side) in zip(["top", "left", "bottom", "right"], sides) { json.member(name, side) }
    json.endObject()
  }
}
