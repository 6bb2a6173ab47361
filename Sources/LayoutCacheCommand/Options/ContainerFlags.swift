import ArgumentParser
import TextFormats

/// The members of a configuration that are not those of `section`.
struct ContainerFlags: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "The container's width in points", transform: { try number($0) })
  var width: Double?

  @Option(
    parsing: .unconditional,
    help: "The container's height in points (default: the width)", transform: { try number($0) })
  var height: Double?

  @Option(help: "vertical or horizontal (default: vertical)")
  var scrollDirection: String?

  @Option(help: "leftToRight or rightToLeft (default: leftToRight)")
  var layoutDirection: String?

  @Option(
    parsing: .unconditional,
    help: "The gap between two sections (default: 0)", transform: { try number($0) })
  var sectionSpacing: Double?

  @Option(
    help: ArgumentHelp(
      "scale, coverStack, rotary or pageTurn (default: none of them)", valueName: "kind"))
  var effect: String?

  @Option(
    parsing: .unconditional,
    help: "The scale in the middle, of --effect scale (default: 1.3)",
    transform: { try number($0) })
  var maximumScale: Double?

  @Option(
    parsing: .unconditional,
    help: "The degrees at the ends, of --effect rotary (default: 60)",
    transform: { try number($0) })
  var maximumAngle: Double?

  @Option(help: "none, itemLeading, itemCenter or page (default: none)")
  var snap: String?

  func validate() throws {
    if effect == nil && (maximumScale != nil || maximumAngle != nil) {
      throw ValidationError("--maximum-scale and --maximum-angle need --effect")
    }
  }

  /// Appends the members that are given, and `container` always.
  func write(to json: inout JSONWriter) {
    json.member("container")
    json.beginObject()
    json.optionalMember("width", width)
    json.optionalMember("height", height)
    json.endObject()
    json.optionalMember("scrollDirection", scrollDirection)
    json.optionalMember("layoutDirection", layoutDirection)
    json.optionalMember("sectionSpacing", sectionSpacing)
    if let effect {
      json.member("effect")
      json.beginObject()
      json.member("kind", effect)
      json.optionalMember("maximumScale", maximumScale)
      json.optionalMember("maximumAngle", maximumAngle)
      json.endObject()
    }
    json.optionalMember("snap", snap)
  }
}
