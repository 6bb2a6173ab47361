import CollectionLayout

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A layout's configuration as flags: one for each member of the JSON object in a configuration
/// file.
///
/// The flags are converted to that JSON, so that both forms are validated by the same code.
struct ConfigurationFlags {
  var container: ContainerFlags
  var section: SectionFlags
  var background: BackgroundFlags

  /// Whether any flag is given.
  var areGiven: Bool { !members.isEmpty }

  /// The configuration's JSON text.
  var text: String {
    get throws {
      // Without container flags, the container has no lengths and is rejected as such.
      let object = members.merging(["container": .object([:])]) { stated, _ in stated }
      return String(decoding: try JSONEncoder().encode(object), as: UTF8.self)
    }
  }

  private var members: [String: ConfigurationValue] {
    var section = section.members
    section["background"] = background.value
    var members = container.members
    members["section"] = section.isEmpty ? nil : .object(section)
    return members
  }
}
