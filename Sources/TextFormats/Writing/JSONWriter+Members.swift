extension JSONWriter {
  /// Appends a member with a string.
  package mutating func member(_ name: String, _ text: String) {
    member(name)
    value(text)
  }

  /// Appends a member with a number.
  ///
  /// - Precondition: The number is finite.
  package mutating func member(_ name: String, _ number: Double) {
    member(name)
    value(number)
  }

  /// Appends a member with an integer.
  package mutating func member(_ name: String, _ number: Int) {
    member(name)
    value(number)
  }

  /// Appends a member that is `true` or `false`.
  package mutating func member(_ name: String, _ isTrue: Bool) {
    member(name)
    value(isTrue)
  }
}
