import ArgumentParser
import CollectionLayout

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A layout's configuration as flags: one for each member of the JSON object that a
/// configuration file holds.
///
/// The flags are turned into that JSON, so both ways meet the same refusals.
struct ConfigurationFlags: ParsableArguments {
  // Titles of groups in groups are not printed: all groups stand side by side here.
  @OptionGroup(title: "Configuration without a file") var container: ContainerFlags
  @OptionGroup(title: "Its sections") var section: SectionFlags
  @OptionGroup(title: "Its sections") var background: BackgroundFlags

  /// Whether any flag is given.
  var areGiven: Bool { !members.isEmpty }

  /// The configuration's JSON text.
  var text: String {
    get throws {
      // A container that the flags leave out is one without lengths, and refused as such.
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
