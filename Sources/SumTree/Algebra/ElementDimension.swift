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
