import LayoutGeometry

/// A type of a member of `section`, with its JSON form.
///
/// Law: ``decode(_:from:)`` returns a value equal to the one that ``encode(_:to:)`` wrote.
protocol SectionMemberValue: Sendable {
  static var form: SectionMember.Form { get }

  /// Decodes the member's value.
  ///
  /// - Returns: `nil` if the member is absent or null.
  /// - Throws: ``ConfigurationError``, or `DecodingError` for a value of another type.
  static func decode(_ key: AnyKey, from values: KeyedDecodingContainer<AnyKey>) throws -> Self?

  func encode(_ key: AnyKey, to values: inout KeyedEncodingContainer<AnyKey>) throws
}

extension SectionMemberValue where Self: Decodable {
  static func decode(_ key: AnyKey, from values: KeyedDecodingContainer<AnyKey>) throws -> Self? {
    try values.decodeIfPresent(Self.self, forKey: key)
  }
}

extension SectionMemberValue where Self: Encodable {
  func encode(_ key: AnyKey, to values: inout KeyedEncodingContainer<AnyKey>) throws {
    try values.encode(self, forKey: key)
  }
}

extension SectionMemberValue
where Self: Decodable & RawRepresentable & CaseIterable, RawValue == String {
  static var form: SectionMember.Form { .name }

  static func decode(_ key: AnyKey, from values: KeyedDecodingContainer<AnyKey>) throws -> Self? {
    try values.decodeChoiceIfPresent(Self.self, forKey: key)
  }
}

extension SectionOptions.Assignment: SectionMemberValue {}
extension SectionOptions.Ties: SectionMemberValue {}
extension SectionOptions.LineAlignment: SectionMemberValue {}
extension SectionOptions.CrossAlignment: SectionMemberValue {}
extension SectionOptions.LastRow: SectionMemberValue {}
extension SectionOptions.Scrolling: SectionMemberValue {}

extension SectionKind: SectionMemberValue { static var form: SectionMember.Form { .name } }
extension Length: SectionMemberValue { static var form: SectionMember.Form { .length } }
extension ContainerLength: SectionMemberValue {
  static var form: SectionMember.Form { .length }
}
extension ContainerInsets: SectionMemberValue {
  static var form: SectionMember.Form { .insets }
}
extension Bool: SectionMemberValue { static var form: SectionMember.Form { .truth } }
extension SectionOptions.ItemLength: SectionMemberValue {
  static var form: SectionMember.Form { .nameOrLength }
}
extension SectionOptions.ItemWidth: SectionMemberValue {
  static var form: SectionMember.Form { .nameOrLength }
}
extension SectionOptions.RowLength: SectionMemberValue {
  static var form: SectionMember.Form { .nameOrLength }
}
extension SectionOptions.ItemSize: SectionMemberValue {
  static var form: SectionMember.Form { .itemSize }
}
extension SectionOptions.Appearance: SectionMemberValue {
  static var form: SectionMember.Form { .name }
}
extension Effect: SectionMemberValue { static var form: SectionMember.Form { .object } }
extension SectionOptions.Background: SectionMemberValue {
  static var form: SectionMember.Form { .object }
}

/// An entry of a member that is a list of objects.
protocol SectionListEntry: Codable, Sendable {}

extension SectionOptions.Supplementary: SectionListEntry {}
extension SectionOptions.Badge: SectionListEntry {}
extension SectionOptions.Decoration: SectionListEntry {}
extension SectionOptions.Decorator: SectionListEntry {}
extension Array: SectionMemberValue where Element: SectionListEntry {
  static var form: SectionMember.Form { .object }
}

extension [String: ConfigurationValue]: SectionMemberValue {
  static var form: SectionMember.Form { .object }
}

extension SectionOptions.Columns: SectionMemberValue {
  static var form: SectionMember.Form { .columns }

  static func decode(_ key: AnyKey, from values: KeyedDecodingContainer<AnyKey>) throws -> Self? {
    // Anything other than a list must be the number.
    guard (try? values.nestedUnkeyedContainer(forKey: key)) != nil else {
      return try values.decodeWholeNumberIfPresent(forKey: key).map { .equal($0) }
    }
    return .weighted(
      try values.decode([Double].self, forKey: key).map { number in
        guard let weight = Int(exactly: number) else {
          throw ConfigurationError(
            .malformed(detail: "\(number) is not a whole number"),
            at: (values.codingPath + [key]).map(\.stringValue))
        }
        return weight
      })
  }

  func encode(_ key: AnyKey, to values: inout KeyedEncodingContainer<AnyKey>) throws {
    switch self {
    case .equal(let count): try values.encode(count, forKey: key)
    case .weighted(let weights): try values.encode(weights, forKey: key)
    }
  }
}
