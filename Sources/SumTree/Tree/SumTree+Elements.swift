/// An element found by a seek, with the state accumulated up to it.
@usableFromInline package struct ElementPosition<Leaf: TreeLeaf, Place: ElementDimension>
where Place.Leaf == Leaf {
  /// The node of the leaf that contains the element.
  @usableFromInline let node: Node<Leaf>

  /// The element's index in its leaf.
  @usableFromInline package let index: Int

  /// The state before the element.
  @usableFromInline package let before: Place

  /// The number of elements before the element.
  @usableFromInline package let offset: Int

  @inlinable
  init(node: Node<Leaf>, index: Int, before: Place, offset: Int) {
    self.node = node
    self.index = index
    self.before = before
    self.offset = offset
  }

  /// The leaf that contains the element.
  @inlinable
  package var leaf: Leaf { _read { yield node.leaf } }
}

// Seeks that end at an element: the descent, followed by a walk along the leaf with the same state.
extension SumTree {
  /// Returns an element, with the state before it.
  ///
  /// - Precondition: `offset` is within `0..<count`.
  /// - Throws: The errors of resolving nodes; see `TreeSession`.
  /// - Complexity: O(fanOut · height + leafCapacity) advances; visits `height + 1` nodes.
  @inlinable
  package func place<Place: ElementDimension>(
    at offset: Int, from start: Place, in session: TreeSession
  ) throws -> ElementPosition<Leaf, Place> where Place.Leaf == Leaf {
    let found = try leaf(containing: offset, from: start, in: session)
    var before = found.before
    before.pass(0..<(offset - found.offset), of: found.leaf)
    return ElementPosition(
      node: found.node, index: offset - found.offset, before: before, offset: offset)
  }

  /// Returns the element at an offset.
  ///
  /// Like `place(at:from:in:)` with a state that only counts elements.
  @inlinable
  package func place(
    at offset: Int, in session: TreeSession
  ) throws -> ElementPosition<Leaf, ElementOffset<Leaf>> {
    try place(at: offset, from: ElementOffset(), in: session)
  }

  /// Returns the first element after which the state has reached a position, or `nil` if the
  /// whole tree does not reach it.
  ///
  /// - Parameters:
  ///   - start: The state before the first element.
  ///   - reached: As for `firstLeaf(from:where:in:)`.
  /// - Throws: The errors of resolving nodes; `TreeError` with `wrongSummary` if a leaf does
  ///   not reach the position although its summary does.
  /// - Complexity: As `place(at:from:in:)`; no node is visited if the tree does not reach the
  ///   position.
  @inlinable
  package func firstPlace<Place: ElementDimension>(
    from start: Place, where reached: (Place) -> Bool, in session: TreeSession
  ) throws -> ElementPosition<Leaf, Place>? where Place.Leaf == Leaf {
    guard let found = try firstLeaf(from: start, where: reached, in: session) else { return nil }
    var before = found.before
    for index in 0..<found.leaf.count {
      var behind = before
      behind.pass(index, of: found.leaf)
      if reached(behind) {
        return ElementPosition(
          node: found.node, index: index, before: before, offset: found.offset + index)
      }
      before = behind
    }
    throw TreeError(.wrongSummary, node: nil)
  }

  /// Moves a state over the elements of a range.
  ///
  /// - Parameters:
  ///   - range: The elements, half-open, within `0...count`.
  ///   - place: The state before the first of them; receives the state after the last.
  /// - Throws: The errors of resolving nodes; see `TreeSession`.
  /// - Complexity: O(fanOut · height + leafCapacity) advances; visits the nodes on the paths to
  ///   the range's two ends.
  @inlinable
  package func fold<Place: ElementDimension>(
    _ range: Range<Int>, into place: inout Place, in session: TreeSession
  ) throws where Place.Leaf == Leaf {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "The range is outside.")
    guard let root else { return }
    try Self.fold(root, height: height, start: 0, range, into: &place, in: session)
  }

  @inlinable
  static func fold<Place: ElementDimension>(
    _ child: Child<Leaf>, height: Int, start: Int, _ range: Range<Int>, into place: inout Place,
    in session: TreeSession
  ) throws where Place.Leaf == Leaf {
    let end = start + child.count
    if end <= range.lowerBound || start >= range.upperBound { return }
    if start >= range.lowerBound && end <= range.upperBound {
      return place.advance(over: child.summary, count: child.count)
    }
    switch try session.resolve(child, height: height).content {
    case .leaf(let leaf):
      let wanted = range.clamped(to: start..<end)
      place.pass((wanted.lowerBound - start)..<(wanted.upperBound - start), of: leaf)
    case .inner(_, let children):
      var start = start
      for index in children.indices where start < range.upperBound {
        if start + children.counts[index] > range.lowerBound {
          try fold(
            children[index], height: height - 1, start: start, range, into: &place, in: session)
        }
        start += children.counts[index]
      }
    }
  }
}
