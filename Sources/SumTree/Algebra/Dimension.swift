/// A state that moves along a tree: accumulated and compared by a seek.
///
/// Summaries **act** on states, so that a seek maintains one small state instead of multiplying
/// whole summaries. Laws, for a state `x` and summaries `a`, `b` of `m` and `n` elements:
///
/// - advancing over `identity` and zero elements leaves `x` unchanged
/// - advancing over `a` and then over `b` equals advancing over `a·b` and `m + n` elements
///
/// Trees copy a state once for each child they visit. A state should be a few words without
/// heap memory; for a state that is an array, prefer the seeks by element offset, which advance
/// only in place.
@usableFromInline package protocol Dimension<LeafSummary> {
  /// The monoid that acts on this state.
  associatedtype LeafSummary: Summary

  /// Moves the state over `count` elements with the given summary.
  mutating func advance(over summary: LeafSummary, count: Int)
}

/// A state that also moves along a leaf, one element at a time: accumulated by a seek that ends
/// at an element.
///
/// Law: passing a leaf's elements in order equals advancing over the leaf's summary.
@usableFromInline package protocol ElementDimension<Leaf>: Dimension
where LeafSummary == Leaf.LeafSummary {
  /// The leaf whose elements are passed.
  associatedtype Leaf: TreeLeaf

  /// Moves the state over the elements of a leaf in a range: one by one, unless there is a
  /// faster way.
  mutating func pass(_ range: Range<Int>, of leaf: Leaf)

  /// Moves the state over the element of a leaf at an index.
  mutating func pass(_ index: Int, of leaf: Leaf)
}

extension ElementDimension {
  @inlinable
  package mutating func pass(_ range: Range<Int>, of leaf: Leaf) {
    for index in range { pass(index, of: leaf) }
  }
}

/// The number of elements passed, as a state.
@usableFromInline package struct ElementOffset<Leaf: TreeLeaf>: ElementDimension, Hashable, Sendable
{
  /// The number of elements before the position.
  @usableFromInline package var count: Int

  /// Creates the position after `count` elements.
  @inlinable
  package init(_ count: Int = 0) {
    self.count = count
  }

  @inlinable
  package mutating func advance(over summary: Leaf.LeafSummary, count: Int) {
    self.count += count
  }

  @inlinable
  package mutating func pass(_ index: Int, of leaf: Leaf) { count += 1 }

  @inlinable
  package mutating func pass(_ range: Range<Int>, of leaf: Leaf) { count += range.count }
}
