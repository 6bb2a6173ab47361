import CollectionLayout
import LayoutCache

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StandardOutput {
  /// Returns a value as JSON, with whitespace and its members sorted by name.
  static func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Writes a configuration as JSON, with line breaks if that changes no name.
  static func print(_ configuration: LayoutConfiguration, pretty: Bool) throws {
    let text = try ConfigurationText.encode(configuration)
    // Whitespace is added by an encoder that unites two spellings of a name.
    let spaced = try encoded(configuration)
    let isSame = try ConfigurationText.decode(spaced) == configuration
    try printLine(pretty && isSame ? spaced : text)
  }
}
