extension Limits {
  /// Checks a count against a closed range.
  ///
  /// - Throws: ``LimitError`` if it is out of range.
  @inlinable
  public static func check(
    _ count: Int, in range: ClosedRange<Int>, as subject: @autoclosure () -> LimitError.Subject
  ) throws(LimitError) {
    try check(count, in: range, as: subject, number: { Double($0) })
  }

  /// Checks a length against a closed range.
  ///
  /// - Throws: ``LimitError`` in points if it is out of range.
  @inlinable
  public static func check(
    _ length: Length, in range: ClosedRange<Length>,
    as subject: @autoclosure () -> LimitError.Subject
  ) throws(LimitError) {
    try check(length, in: range, as: subject, number: { $0.points })
  }

  /// Checks a number against a closed range.
  ///
  /// - Throws: ``LimitError`` if it is out of range, or is not a finite number.
  @inlinable
  public static func check(
    _ number: Double, in range: ClosedRange<Double>,
    as subject: @autoclosure () -> LimitError.Subject
  ) throws(LimitError) {
    guard number.isFinite else {
      throw LimitError(.notFinite, subject(), limit: range.upperBound, value: number)
    }
    try check(number, in: range, as: subject, number: { $0 })
  }

  // The subject is a closure, because the names of values that are checked for each item are
  // costly to compose.
  @inlinable
  static func check<Value: Comparable>(
    _ value: Value, in range: ClosedRange<Value>, as subject: () -> LimitError.Subject,
    number: (Value) -> Double
  ) throws(LimitError) {
    if range.contains(value) { return }
    let isTooSmall = value < range.lowerBound
    throw LimitError(
      isTooSmall ? .tooSmall : .tooLarge, subject(),
      limit: number(isTooSmall ? range.lowerBound : range.upperBound), value: number(value))
  }
}
