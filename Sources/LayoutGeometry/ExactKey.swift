/// A key compared by its bytes.
///
/// `String` compares by canonical equivalence, under which two spellings of "é" are equal; to
/// SQLite, to other programs and to the index they are different keys.
package struct ExactKey: Hashable, Sendable {
  /// The key as text.
  package let string: String

  /// Creates the key with a text.
  @inlinable
  package init(_ string: String) { self.string = string }

  @inlinable
  package static func == (lhs: Self, rhs: Self) -> Bool {
    // Compares memory: two iterators of UTF-8 take ten times as long.
    var (left, right) = (lhs.string, rhs.string)
    return left.withUTF8 { left in
      right.withUTF8 { right in left.count == right.count && left.elementsEqual(right) }
    }
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether two texts have the same bytes. Keys and names are compared in this way.
  package func isExactly(_ other: String) -> Bool { ExactKey(self) == ExactKey(other) }
}
