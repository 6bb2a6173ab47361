import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry

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

  /// Checks that not both flags and a file are given.
  func validate(besides file: String?) throws {
    if file != nil && areGiven {
      throw ValidationError("--config cannot be combined with configuration flags")
    }
  }

  /// Returns the configuration of a file, or of the flags without one.
  func configuration(or file: String?) throws -> LayoutConfiguration {
    guard let file else {
      do {
        return try ConfigurationText.decode(try text)
      } catch var error as ConfigurationError {
        // The user has not written any text.
        error.place = nil
        throw error
      }
    }
    let input = try InputFile(file)
    let text = try input.readText(bytesMax: Limits.configurationBytesMax)
    do {
      return try ConfigurationText.decodeChecked(text)
    } catch let error as ConfigurationError {
      throw Failure(.badInput, "\(input.name): invalid layout configuration: \(error)")
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
