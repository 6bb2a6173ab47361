import LayoutGeometry

// Decoding of `Decodable` types from a parsed document.
//
// One generic `decode` is the witness for all `decode` requirements of the standard library's
// protocols, such as those for each number type.

package struct JSONValueDecoder: Decoder {
  let document: JSONDocument
  let node: Int
  package let codingPath: [any CodingKey]
  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Creates a decoder for the document's top-level value.
  package init(_ document: JSONDocument) { self.init(document, 0, []) }

  fileprivate init(_ document: JSONDocument, _ node: Int, _ path: [any CodingKey]) {
    self.document = document
    self.node = node
    codingPath = path
  }

  package func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    try require(.object, [String: Any].self)
    return KeyedDecodingContainer(JSONMembers(value: self))
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try require(.array, [Any].self)
    return JSONElements(value: self)
  }

  package func singleValueContainer() -> any SingleValueDecodingContainer { self }

  fileprivate var kind: JSONToken.Kind { document.nodes[node].value.kind }

  fileprivate func require(_ kind: JSONToken.Kind, _ type: Any.Type) throws {
    if self.kind == kind { return }
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
    throw self.kind == .null
      ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
  }

  fileprivate func corrupted(_ description: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: description))
  }

  fileprivate func value(_ node: Int, _ key: any CodingKey) -> JSONValueDecoder {
    JSONValueDecoder(document, node, codingPath + [key])
  }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
  package func decodeNil() -> Bool { kind == .null }

  package func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value: Any
    switch type {
    case is String.Type:
      try require(.string, type)
      value = document.string(node)
    case is Double.Type:
      value = try number(type)
    case is Float.Type:
      value = Float(try number(type))
    case is Bool.Type:
      try require(.boolean, type)
      value = document.isTrue(node)
    case let type as any FixedWidthInteger.Type:
      value = try integer(type)
    default:
      return try T(from: self)
    }
    guard let value = value as? T else { preconditionFailure("\(value) is no \(type)") }
    return value
  }

  private func number(_ type: Any.Type) throws -> Double {
    try require(.number, type)
    guard let number = document.number(node) else { throw corrupted("the number is too large") }
    return number
  }

  private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    try require(.number, type)
    guard let integer = document.integer(node).flatMap({ T(exactly: $0) }) else {
      throw corrupted("the number is no whole number that is meant here")
    }
    return integer
  }
}

/// The members of an object.
private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let value: JSONValueDecoder
  private let members: [ExactKey: Int]

  init(value: JSONValueDecoder) {
    self.value = value
    members = value.document.members(of: value.node)
  }

  var codingPath: [any CodingKey] { value.codingPath }

  var allKeys: [Key] {
    var keys: [Key] = []
    value.document.forEachChild(of: value.node) { child in
      if let key = Key(stringValue: value.document.name(of: child)) { keys.append(key) }
      return true
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { members[ExactKey(key.stringValue)] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try member(key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { value }

  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

  private func member(_ key: Key) throws -> JSONValueDecoder {
    guard let node = members[ExactKey(key.stringValue)] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: ""))
    }
    return value.value(node, key)
  }
}

/// The elements of an array.
private struct JSONElements: UnkeyedDecodingContainer {
  let value: JSONValueDecoder
  private var node: Int
  private(set) var currentIndex = 0

  init(value: JSONValueDecoder) {
    self.value = value
    node = value.node + 1
  }

  var codingPath: [any CodingKey] { value.codingPath }
  var count: Int? { nil }
  var isAtEnd: Bool { node == value.document.nodes[value.node].next }

  mutating func decodeNil() throws -> Bool {
    guard try element().decodeNil() else { return false }
    advance()
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let decoded = try element().decode(type)
    advance()
    return decoded
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try element().container(keyedBy: type)
    advance()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try element().unkeyedContainer()
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try element()
    advance()
    return decoder
  }

  private mutating func advance() {
    node = value.document.nodes[node].next
    currentIndex += 1
  }

  private func element() throws -> JSONValueDecoder {
    let element = ElementKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self,
        DecodingError.Context(codingPath: codingPath + [element], debugDescription: ""))
    }
    return value.value(node, element)
  }

  /// The index of an element, from 0.
  private struct ElementKey: CodingKey {
    let index: Int
    var stringValue: String { String(index) }
    var intValue: Int? { index }

    init(intValue: Int) { index = intValue }
    init?(stringValue: String) { return nil }
  }
}
