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
