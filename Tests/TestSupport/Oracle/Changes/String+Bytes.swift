extension String {
  /// Whether the two are the same, byte by byte. Equality of strings, which takes
  /// an accented letter for its decomposed form, is asked first: it says no soon.
  func hasBytes(of other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
