import ArgumentParser
import CollectionLayout

/// Flags for the members of the object `background` in `section`.
struct BackgroundFlags: ParsableArguments {
  @Option(help: ArgumentHelp("A decoration behind the items", valueName: "kind"))
  var background: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The background's insets: one number, or four (default: 0)",
      valueName: "top,left,bottom,right"),
    transform: { try insets($0) })
  var backgroundInset: ConfigurationValue?

  @Option(parsing: .unconditional, help: "The background's z-index (default: -1)")
  var backgroundZIndex: Int?

  func validate() throws {
    if background == nil && (backgroundInset != nil || backgroundZIndex != nil) {
      throw ValidationError("--background-inset and --background-z-index need --background")
    }
  }

  /// The object; `nil` without a background.
  var value: ConfigurationValue? {
    guard let background else { return nil }
    var members: [String: ConfigurationValue] = ["kind": .string(background)]
    members["inset"] = backgroundInset
    members["zIndex"] = backgroundZIndex.map { .number(Double($0)) }
    return .object(members)
  }
}
