import ArgumentParser
import CollectionLayout

/// The members of a configuration outside `section`.
struct ContainerFlags: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "The container's width in points", transform: { try number($0) })
  var width: Double?

  @Option(
    parsing: .unconditional,
    help: "The container's height in points (default: the width)", transform: { try number($0) })
  var height: Double?

  @Flag(help: "Fit any width, or any height of a horizontal layout, instead of --width")
  var anyWidth = false

  @Option(
    parsing: .unconditional,
    help: "The distance between two widths in points, with --any-width (default: 8)",
    transform: { try number($0) })
  var step: Double?

  @Option(help: "The maximum number of widths to keep, with --any-width (default: 16)")
  var keep: Int?

  @Option(help: "The scroll direction: vertical or horizontal (default: vertical)")
  var scrollDirection: String?

  @Option(help: "The layout direction: leftToRight or rightToLeft (default: leftToRight)")
  var layoutDirection: String?

  @Option(
    parsing: .unconditional,
    help: "The gap between two sections (default: 0)", transform: { try number($0) })
  var sectionSpacing: Double?

  @Option(
    parsing: .unconditional, help: "The length of the header before the first section (default: 0)",
    transform: { try number($0) })
  var layoutHeader: Double?

  @Option(
    parsing: .unconditional, help: "The length of the footer after the last section (default: 0)",
    transform: { try number($0) })
  var layoutFooter: Double?

  @Flag(help: "Keep the header of --layout-header visible")
  var pinsLayoutHeader = false

  @Flag(help: "Keep the footer of --layout-footer visible")
  var pinsLayoutFooter = false

  @Option(help: ArgumentHelp("A decoration under the whole content", valueName: "kind"))
  var layoutBackground: String?

  @Option(
    help: ArgumentHelp(
      "The visible effect: scale, coverStack, rotary or pageTurn (default: none)",
      valueName: "kind"))
  var effect: String?

  @Option(
    parsing: .unconditional, help: "The scale in the middle, with --effect scale (default: 1.3)",
    transform: { try number($0) })
  var maximumScale: Double?

  @Option(
    parsing: .unconditional,
    help: "The angle at the ends in degrees, with --effect rotary (default: 60)",
    transform: { try number($0) })
  var maximumAngle: Double?

  @Option(
    help: """
      The snap position: none, itemLeading, itemCenter, page, or offsets such as 0,300,600 \
      (default: none)
      """, transform: snapPositions)
  var snap: ConfigurationValue?

  func validate() throws {
    if effect == nil && (maximumScale != nil || maximumAngle != nil) {
      throw ValidationError("--maximum-scale and --maximum-angle need --effect")
    }
    if !anyWidth && (step != nil || keep != nil) {
      throw ValidationError("--step and --keep need --any-width")
    }
    if pinsLayoutHeader && layoutHeader == nil || pinsLayoutFooter && layoutFooter == nil {
      throw ValidationError(
        "--pins-layout-header and --pins-layout-footer need a length, as of --layout-header")
    }
  }

  var members: [String: ConfigurationValue] {
    var members: [String: ConfigurationValue] = [:]
    var container = ["width": width, "height": height].compactMapValues(\.self)
      .mapValues(ConfigurationValue.number)
    if anyWidth {
      let sizes = ["step": step, "keep": keep.map(Double.init)].compactMapValues(\.self)
      container[scrollDirection == "horizontal" ? "heights" : "widths"] = .object(
        sizes.mapValues(ConfigurationValue.number))
    }
    if !container.isEmpty { members["container"] = .object(container) }
    members["scrollDirection"] = scrollDirection.map(ConfigurationValue.string)
    members["layoutDirection"] = layoutDirection.map(ConfigurationValue.string)
    for (name, length, pins) in [
      ("header", layoutHeader, pinsLayoutHeader), ("footer", layoutFooter, pinsLayoutFooter),
    ] {
      guard let length else { continue }
      members[name] = .object(["length": .number(length), "pins": .bool(pins)])
    }
    members["background"] = layoutBackground.map { .object(["kind": .string($0)]) }
    members["sectionSpacing"] = sectionSpacing.map(ConfigurationValue.number)
    members["snap"] = snap
    if let effect {
      var effect: [String: ConfigurationValue] = ["kind": .string(effect)]
      effect["maximumScale"] = maximumScale.map(ConfigurationValue.number)
      effect["maximumAngle"] = maximumAngle.map(ConfigurationValue.number)
      members["effect"] = .object(effect)
    }
    return members
  }
}
