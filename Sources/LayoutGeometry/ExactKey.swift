/// A name or a key, compared by its bytes.
///
///     configuration.sections["1997"] = SectionOptions.grid(columns: 3)
///
/// `String` compares by canonical equivalence, under which two spellings of "é" are equal; to
/// SQLite, to other programs and to the index they are different keys.
public struct ExactKey: Hashable, Sendable {
  /// The key as text.
  public let string: String

  /// Creates the key with a text.
  @inlinable
  public init(_ string: String) { self.string = string }

  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool {
    // Compares memory: two iterators of UTF-8 take ten times as long. Two copies of a long text
    // share theirs.
    var (left, right) = (lhs.string, rhs.string)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        left.count == right.count
          && (left.baseAddress == right.baseAddress || left.elementsEqual(right))
      }
    }
  }

  @inlinable
  public func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension ExactKey: ExpressibleByStringLiteral {
  public init(stringLiteral string: StaticString) { self.init("\(string)") }
}

extension ExactKey: Codable, CodingKeyRepresentable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  public var codingKey: any CodingKey { Name(stringValue: string) }

  public init(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(string)
  }
}

extension String {
  /// Whether two texts have the same bytes. Keys and names are compared in this way.
  package func isExactly(_ other: String) -> Bool { ExactKey(self) == ExactKey(other) }
}

extension String? {
  /// Whether both are missing, or have the same bytes.
  package func isExactly(_ other: String?) -> Bool {
    map(ExactKey.init) == other.map(ExactKey.init)
  }
}
