/// Where a text stops being JSON.
struct JSONSyntaxError: Error, Equatable {
  /// The offset of the first byte that cannot stand there; the length of the text
  /// if it ends too early.
  var offset: Int
  /// What the byte would have had to be: `a comma or a closing bracket`.
  var expected: StaticString

  static func == (left: JSONSyntaxError, right: JSONSyntaxError) -> Bool {
    left.offset == right.offset && left.expected.description == right.expected.description
  }
}
