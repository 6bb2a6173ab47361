public import CollectionLayout
import JSONText
import LayoutGeometry

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON encoding of a configuration, as users write it and the database stores it.
public enum ConfigurationText {
  /// Decodes a configuration. The text must be strict JSON (RFC 8259) without repeated members.
  ///
  /// - Throws: `ConfigurationError` with the member, its line and column, and the problem.
  /// - Complexity: O(bytes).
  public static func decode(_ text: String) throws -> LayoutConfiguration {
    let document = try document(text)
    do {
      return try LayoutConfiguration(from: JSONValueDecoder(document))
    } catch let error as ConfigurationError {
      throw error.located(in: document)
    } catch let error as DecodingError {
      throw ConfigurationError(error).located(in: document)
    }
  }

  /// Encodes a configuration: members sorted by name, lengths in points.
  ///
  /// - Throws: `ConfigurationError` for a number that is not finite.
  public static func encode(_ configuration: LayoutConfiguration) throws -> String {
    let (styles, sections) = (configuration.styles, configuration.sections)
    if areDistinct(styles), areDistinct(sections) { return try text(of: configuration) }
    // The encoder unites names that are canonically equivalent, so these objects are put together
    // here. They are among the last members, in the order of the names.
    var rest = configuration
    (rest.styles, rest.sections) = ([:], [:])
    let end = #","snap":\#(try text(of: configuration.snap))}"#
    let begin = try text(of: rest).dropLast(end.utf8.count + "{}".utf8.count)
    return try begin + text(ofMembers: sections) + end.dropLast()
      + (styles.isEmpty ? "" : #","styles":"# + text(ofMembers: styles)) + "}"
  }

  private static func areDistinct(_ members: [ExactKey: SectionOptions]) -> Bool {
    Set(members.keys.lazy.map(\.string)).count == members.count
  }

  private static func text(ofMembers members: [ExactKey: SectionOptions]) throws -> String {
    let sorted = members.sorted { $0.key.string.utf8.lexicographicallyPrecedes($1.key.string.utf8) }
    let texts = try sorted.map { try "\(text(of: $0.key.string)):\(text(of: $0.value))" }
    return "{\(texts.joined(separator: ","))}"
  }

  private static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch EncodingError.invalidValue(_, let context) {
      throw ConfigurationError(
        .malformed(detail: context.debugDescription), at: context.codingPath.map(\.stringValue))
    }
  }

  /// As ``decode(_:)``; also checks the configuration, because only here its text is available for
  /// locating errors.
  package static func decodeChecked(_ text: String) throws -> LayoutConfiguration {
    do {
      let configuration = try decode(text)
      try configuration.check()
      return configuration
    } catch let error as ConfigurationError {
      throw error.place == nil ? locate(error, in: text) : error
    }
  }

  /// Returns a configuration's error with its position in the source text.
  package static func locate(_ error: ConfigurationError, in text: String) -> ConfigurationError {
    do {
      return error.located(in: try document(text))
    } catch let other {
      return other
    }
  }

  private static func document(_ text: String) throws(ConfigurationError) -> JSONDocument {
    if text.utf8.count > Limits.configurationBytesMax {
      throw ConfigurationError(
        .limit(
          LimitError(
            .tooLong, "configuration", limit: Double(Limits.configurationBytesMax),
            value: Double(text.utf8.count))))
    }
    let document: JSONDocument
    do {
      document = try JSONDocument(text)
    } catch {
      throw ConfigurationError(
        .malformed(detail: "not valid JSON: expected \(error.expected)"),
        place: .init(text.utf8.lineAndColumn(ofOffset: error.offset)))
    }
    // Overrides have the keys of sections and the names of styles; the names of other members are
    // in dictionaries of strings later.
    let overrides = ["styles", "sections"].compactMap { document.child($0, of: 0) }
    if let member = document.firstRepeatedMember(whereExact: overrides.contains) {
      throw ConfigurationError(
        .repeatedMember(document.name(of: member)),
        place: .init(text.utf8.lineAndColumn(ofOffset: document.nodes[member].name.start)))
    }
    return document
  }
}

extension ConfigurationError {
  /// Returns the error with the position of its member.
  fileprivate func located(in document: JSONDocument) -> ConfigurationError {
    var error = self
    let node = document.node(at: path)
    let member = memberName.flatMap { document.child($0, of: node) }.map { document.nodes[$0] }
    // An error of a value without a member name is reported at the value.
    let token = member?.name ?? document.nodes[node].value
    error.place = .init(document.bytes.lineAndColumn(ofOffset: token.start))
    return error
  }

  /// The name of the invalid member in the object at the path.
  private var memberName: String? {
    switch code {
    case .unknownKey(let name, _), .conflict(_, let name): name
    case .limit(let error): error.subject.name
    case .emptyRange: "minimumLength"
    default: nil
    }
  }

  fileprivate init(_ error: DecodingError) {
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
      self.init(
        .malformed(detail: context.debugDescription), at: context.codingPath.map(\.stringValue))
    @unknown default:
      self.init(.malformed(detail: "\(error)"))
    }
  }

  private static func subject(_ context: DecodingError.Context) -> String {
    context.codingPath.last.map { "'\(excerpt($0.stringValue))'" } ?? "the configuration"
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is Double.Type: "number"
    case is Bool.Type: "Boolean"
    case is String.Type: "string"
    case is [Any].Type: "JSON array"
    default: "JSON object"
    }
  }
}

extension ConfigurationError.Place {
  fileprivate init(_ place: (line: Int, column: Int)) {
    self.init(line: place.line, column: place.column)
  }
}
