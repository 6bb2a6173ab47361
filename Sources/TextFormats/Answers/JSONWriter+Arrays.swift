extension JSONWriter {
  /// Appends a member whose value is an array with one value per element.
  package mutating func member<Elements: Sequence>(
    _ name: String, of elements: Elements,
    _ append: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    member(name)
    try array(of: elements, append)
  }
}
