import LayoutGeometry

/// A coding key that accepts every name.
package struct AnyKey: CodingKey {
  package var stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer {
  /// Decodes an integer in any notation: 2, 2.0, 2e0.
  ///
  /// - Returns: `nil` if the member is absent or null.
  /// - Throws: ``ConfigurationError`` for another number, which decoders would report as
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
  /// - Returns: `nil` if the member is absent or null.
  /// - Throws: ``ConfigurationError`` for an unknown name, with the list of names.
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
  /// Returns the members of an object, which may only have known ones.
  ///
  /// - Throws: ``ConfigurationError`` with the first unknown member by name.
  func strictContainer<Key: CodingKey & CaseIterable>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    let names = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    if let unknown = names.filter({ Key(stringValue: $0) == nil }).min() {
      throw ConfigurationError(
        .unknownKey(unknown, known: Key.allCases.map(\.stringValue)),
        at: codingPath.map(\.stringValue))
    }
    return try container(keyedBy: type)
  }
}

/// A member with one of some names, or with a value.
enum NameOrValue<Value> {
  case name(String)
  case value(Value)
}

extension Decoder {
  /// Decodes one of some names, or, if it is not a string, a value.
  ///
  /// - Parameters:
  ///   - member: The member's name, for errors.
  ///   - names: The accepted names.
  ///   - other: The description of other values.
  func name<Value: Decodable>(
    or type: Value.Type, _ member: String, _ names: [String], _ other: String
  ) throws -> NameOrValue<Value> {
    let single = try singleValueContainer()
    let known = names.map { "\"\($0)\"" }.joined(separator: ", ")
    // Anything other than a string must be the value.
    guard let name = try? single.decode(String.self) else {
      do { return .value(try single.decode(type)) } catch DecodingError.typeMismatch(_, let context)
        where context.codingPath.count == codingPath.count
      {
        throw DecodingError.dataCorruptedError(
          in: single, debugDescription: "\(member) must be \(known) or \(other)")
      }
    }
    guard names.contains(name) else {
      throw DecodingError.dataCorruptedError(
        in: single,
        debugDescription: clauses(
          "\(member) must be \(known) or \(other), not \"\(excerpt(name))\"",
          didYouMean(name, among: names)))
    }
    return .name(name)
  }
}
