/// A movable position in a tree, optimized for moves to nearby elements: it retains the last
/// leaf and advances within it.
///
/// A finger starts at no element. It reads the version of the tree from which it was created.
/// After a throw it must no longer be used.
@usableFromInline package struct ElementFinger<Leaf: TreeLeaf, Place: ElementDimension>
where Place.Leaf == Leaf {
  /// The tree.
  @usableFromInline package let tree: SumTree<Leaf>

  @usableFromInline let start: Place
  @usableFromInline let session: TreeSession
  // The leaf's node, the offset of its first element, and the state before that: separate, so
  // that accessing one copies no other.
  @usableFromInline var current: Node<Leaf>?
  @usableFromInline var leafRange = 0..<0
  @usableFromInline var leafBefore: Place
  @usableFromInline var place: Place
  @usableFromInline var leafIndex = 0

  /// Creates a finger at no element.
  ///
  /// - Parameter start: The state before the first element.
  @inlinable
  package init(_ tree: SumTree<Leaf>, from start: Place, in session: TreeSession) {
    self.tree = tree
    self.start = start
    self.session = session
    leafBefore = start
    place = start
  }

  /// The leaf that contains the element.
  ///
  /// - Precondition: The last move returned `true`; also for the other members.
  @inlinable
  package var leaf: Leaf {
    _read {
      guard let current else { preconditionFailure("The finger is at no element.") }
      yield current.leaf
    }
  }

  /// The element's index in its leaf.
  @inlinable
  package var index: Int { leafIndex }

  /// The number of elements before the element.
  @inlinable
  package var offset: Int { leafRange.lowerBound + leafIndex }

  /// The state before the element.
  @inlinable
  package var before: Place { place }

  /// The state after the element.
  @inlinable
  package var behind: Place {
    var behind = place
    behind.pass(leafIndex, of: leaf)
    return behind
  }

  /// Moves to the element at an offset.
  ///
  /// - Returns: `false` if there is no such element; the finger then stays.
  /// - Throws: The errors of resolving nodes; see `TreeSession`.
  /// - Complexity: O(1) amortised for elements in order; O(height) nodes otherwise.
  @inlinable
  package mutating func seek(toElement target: Int) throws -> Bool {
    guard target >= 0, target < tree.count else { return false }
    if leafRange.contains(target) {
      if target < offset { rewind() }
    } else {
      take(try tree.leaf(containing: target, from: start, in: session))
    }
    let index = target - leafRange.lowerBound
    if index > leafIndex { place.pass(leafIndex..<index, of: leaf) }
    leafIndex = index
    return true
  }

  /// Moves to the first element after which the state has reached a position.
  ///
  /// - Parameter reached: As for `SumTree.firstLeaf(from:where:in:)`.
  /// - Returns: `false` if the whole tree does not reach it; the finger then stays.
  /// - Throws: As `SumTree.firstPlace(from:where:in:)`.
  /// - Complexity: As `seek(toElement:)`.
  @inlinable
  package mutating func seek(where reached: (Place) -> Bool) throws -> Bool {
    if !leafRange.isEmpty, !reached(leafBefore) {
      if reached(place) { rewind() }
      if walk(to: reached) { return true }
    }
    guard let next = try tree.firstLeaf(from: start, where: reached, in: session) else {
      return false
    }
    take(next)
    guard walk(to: reached) else { throw TreeError(.wrongSummary, node: nil) }
    return true
  }

  @inlinable
  mutating func take(_ found: LeafPosition<Leaf, Place>) {
    current = found.node
    leafRange = found.offset..<(found.offset + found.leaf.count)
    leafBefore = found.before
    rewind()
  }

  @inlinable
  mutating func rewind() {
    leafIndex = 0
    place = leafBefore
  }

  @inlinable
  mutating func pass() {
    place.pass(leafIndex, of: leaf)
    leafIndex += 1
  }

  /// Advances within the leaf to an element that reaches the position.
  ///
  /// - Returns: Whether there is one; otherwise the finger stays.
  @inlinable
  mutating func walk(to reached: (Place) -> Bool) -> Bool {
    let (index, before) = (leafIndex, place)
    while leafIndex < leafRange.count {
      if reached(behind) { return true }
      pass()
    }
    (leafIndex, place) = (index, before)
    return false
  }
}

extension ElementFinger where Place == ElementOffset<Leaf> {
  /// Creates a finger that only counts elements, at no element.
  @inlinable
  package init(_ tree: SumTree<Leaf>, in session: TreeSession) {
    self.init(tree, from: ElementOffset(), in: session)
  }
}
