extension Range {
  /// The smallest range that holds both; of an empty one its place counts too.
  @inlinable
  package func hull(with other: Range) -> Range {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }
}
