extension Range<Int> {
  /// Returns the first number for which a condition holds; the end of the range if there is none.
  /// The condition holds for all later numbers.
  ///
  /// - Complexity: O(log count) calls of the condition.
  func partitioningIndex(where condition: (Int) throws -> Bool) rethrows -> Int {
    var rest = self
    while !rest.isEmpty {
      let middle = rest.lowerBound + rest.count / 2
      rest = try condition(middle) ? rest.lowerBound..<middle : middle + 1..<rest.upperBound
    }
    return rest.lowerBound
  }
}
