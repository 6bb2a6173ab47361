public import CollectionLayout
import LayoutGeometry

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A configuration as the JSON object that users write and the database keeps.
public enum ConfigurationText {
  /// Reads a configuration.
  ///
  /// - Throws: `ConfigurationError` naming the place and what is wrong with it.
  public static func decode(_ text: String) throws -> LayoutConfiguration {
    if text.utf8.count > Limits.configurationBytesMax {
      throw ConfigurationError(
        .limit(
          LimitError(
            .tooLong, "configuration", limit: Double(Limits.configurationBytesMax),
            value: Double(text.utf8.count))))
    }
    do {
      return try JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8))
    } catch let error as DecodingError {
      throw ConfigurationError(error)
    }
  }

  /// The text of a configuration: members sorted by name, lengths in points.
  public static func encode(_ configuration: LayoutConfiguration) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(configuration), as: UTF8.self)
  }
}

extension ConfigurationError {
  /// What a decoding error says, in one sentence with its place.
  init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(let type, let context):
      self.init(
        .malformed(detail: "\(Self.subject(context)) must be a \(Self.name(of: type))"),
        at: context.codingPath.map(\.stringValue))
    case .valueNotFound(_, let context):
      self.init(
        .malformed(detail: "\(Self.subject(context)) is null"),
        at: context.codingPath.map(\.stringValue))
    case .keyNotFound(let key, let context):
      self.init(.missing(key.stringValue), at: context.codingPath.map(\.stringValue))
    case .dataCorrupted(let context):
      // Without a path it is the text as a whole.
      let path = context.codingPath.map(\.stringValue)
      self.init(
        .malformed(detail: path.isEmpty ? "it is not valid JSON" : context.debugDescription),
        at: path)
    @unknown default:
      self.init(.malformed(detail: "\(error)"))
    }
  }

  private static func subject(_ context: DecodingError.Context) -> String {
    context.codingPath.isEmpty ? "the configuration" : "the member"
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is Double.Type: "number"
    case is Bool.Type: "Boolean"
    case is String.Type: "string"
    default: "JSON object"
    }
  }
}
