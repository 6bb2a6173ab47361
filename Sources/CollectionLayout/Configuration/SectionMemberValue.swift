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
extension SectionOptions.Background: SectionMemberValue {
  static var form: SectionMember.Form { .object }
}
extension [String: ConfigurationValue]: SectionMemberValue {
  static var form: SectionMember.Form { .object }
}

extension Int: SectionMemberValue {
  static var form: SectionMember.Form { .wholeNumber }

  static func decode(_ key: AnyKey, from values: KeyedDecodingContainer<AnyKey>) throws -> Self? {
    try values.decodeWholeNumberIfPresent(forKey: key)
  }
}

extension EdgeInsets: SectionMemberValue {
  static var form: SectionMember.Form { .insets }

  static func decode(_ key: AnyKey, from values: KeyedDecodingContainer<AnyKey>) throws -> Self? {
    try values.decodeIfPresent(StrictInsets.self, forKey: key)?.insets
  }
}
