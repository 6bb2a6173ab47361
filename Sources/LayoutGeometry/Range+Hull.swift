extension Range {
  /// Returns the smallest range that contains both, including the bounds of an empty one.
  @inlinable
  package func hull(with other: Range) -> Range {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }
}
