extension String {
  /// Whether the two are equal byte by byte. String equality, which considers an accented
  /// letter equal to its decomposed form, is checked first because it fails fast.
  func hasBytes(of other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
