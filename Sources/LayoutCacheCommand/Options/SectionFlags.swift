import ArgumentParser
import CollectionLayout
import TextFormats

/// The members of `section` that every kind reads.
struct SectionFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How the items are placed: \(SectionFlags.kinds) (default: waterfall)"))
  var kind: String?

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

  private static var kinds: String {
    let names = SectionKind.builtIn.map(\.name)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }

  func validate() throws {
    if background == nil && (backgroundInset != nil || backgroundZIndex != nil) {
      throw ValidationError("--background-inset and --background-z-index need --background")
    }
  }

  /// Appends the members that are given.
  func write(to json: inout JSONWriter) {
    json.optionalMember("kind", kind)
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
  }
}
