/// A decodable type that refuses members it does not know.
protocol StrictlyDecodable: Decodable {
  associatedtype CodingKeys: CodingKey, CaseIterable
}

/// A coding key that accepts every name.
struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer {
  /// Decodes a whole number, written in any way: 2, 2.0, 2e0.
  ///
  /// - Returns: `nil` where the member is absent or null.
  /// - Throws: ``ConfigurationError`` for another number; decoders take that for
  ///   malformed JSON.
  func decodeWholeNumberIfPresent(forKey key: Key) throws -> Int? {
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    guard let whole = Int(exactly: number) else {
      throw ConfigurationError(
        .malformed(detail: "\(number) is not a whole number"),
        at: (codingPath + [key]).map(\.stringValue))
    }
    return whole
  }

  /// Decodes one of an enumeration's names.
  ///
  /// - Returns: `nil` where the member is absent or null.
  /// - Throws: ``ConfigurationError`` that lists the names, for another one.
  func decodeChoiceIfPresent<T: RawRepresentable & CaseIterable>(
    _ type: T.Type, forKey key: Key
  ) throws -> T? where T.RawValue == String {
    guard let name = try decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let choice = T(rawValue: name) else {
      throw ConfigurationError(
        .unknownChoice(name, known: T.allCases.map(\.rawValue)),
        at: (codingPath + [key]).map(\.stringValue))
    }
    return choice
  }
}

extension Decoder {
  /// Refuses the object being decoded if it has a member that `type` lacks.
  ///
  /// - Throws: ``ConfigurationError`` with the first such member by name.
  func refuseUnknownKeys<T: StrictlyDecodable>(of type: T.Type) throws {
    let known = Set(T.CodingKeys.allCases.map(\.stringValue))
    let keys = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    if let unknown = keys.filter({ !known.contains($0) }).min() {
      throw ConfigurationError(.unknownKey(unknown), at: codingPath.map(\.stringValue))
    }
  }
}
