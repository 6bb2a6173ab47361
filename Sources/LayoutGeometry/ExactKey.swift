/// A key compared by its bytes.
///
/// `String` compares by canonical equivalence, under which "é" has two spellings
/// that are equal; to SQLite, to other programs and to the index they are two keys.
public struct ExactKey: Hashable, Sendable {
  public let string: String

  public init(_ string: String) { self.string = string }

  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.string.utf8.elementsEqual(rhs.string.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
