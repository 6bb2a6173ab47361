/// A leaf found by a seek, with the state accumulated up to it.
@usableFromInline package struct LeafPosition<Leaf: TreeLeaf, Place: Dimension>
where Place.LeafSummary == Leaf.LeafSummary {
  /// The leaf's node: retaining it is one operation, compared with one for each array of the leaf.
  @usableFromInline let node: Node<Leaf>

  /// The state before the leaf's first element.
  @usableFromInline package let before: Place

  /// The number of elements before the leaf.
  @usableFromInline package let offset: Int

  @inlinable
  init(node: Node<Leaf>, before: Place, offset: Int) {
    self.node = node
    self.before = before
    self.offset = offset
  }

  /// The leaf.
  @inlinable
  package var leaf: Leaf { _read { yield node.leaf } }
}

extension LeafPosition: Sendable where Place: Sendable {}

extension SumTree {
  /// Returns the leaf that contains an element, and the offset of the leaf's first element.
  ///
  /// - Precondition: `offset` is within `0..<count`.
  /// - Throws: The errors of resolving nodes; see `TreeSession`.
  /// - Complexity: O(fanOut · height); visits `height + 1` nodes.
  @inlinable
  package func leaf(
    containing offset: Int, in session: TreeSession
  ) throws -> (leaf: Leaf, start: Int) {
    precondition(offset >= 0, "The offset is outside the tree.")
    var start = 0
    let node = try descend(in: session) { _, count in
      guard offset - start >= count else { return true }
      start += count
      return false
    }
    guard let node else { preconditionFailure("The offset is outside the tree.") }
    return (node.leaf, start)
  }

  /// Returns the leaf that contains an element, with the state before the leaf.
  ///
  /// The state is advanced in place and never copied, so it may be an array.
  ///
  /// - Precondition: `offset` is within `0..<count`.
  /// - Throws: The errors of resolving nodes; see `TreeSession`.
  /// - Complexity: O(fanOut · height) advances; visits `height + 1` nodes.
  @inlinable
  package func leaf<Place: Dimension>(
    containing offset: Int, from start: Place, in session: TreeSession
  ) throws -> LeafPosition<Leaf, Place> {
    precondition(offset >= 0, "The offset is outside the tree.")
    var before = start
    var leafStart = 0
    let node = try descend(in: session) { summary, count in
      guard offset - leafStart >= count else { return true }
      before.advance(over: summary, count: count)
      leafStart += count
      return false
    }
    guard let node else { preconditionFailure("The offset is outside the tree.") }
    return LeafPosition(node: node, before: before, offset: leafStart)
  }

  /// Returns the first leaf after which the state has reached a position, or `nil` if the whole
  /// tree does not reach it.
  ///
  /// - Parameters:
  ///   - start: The state before the first element.
  ///   - reached: Whether a state has reached the position. Law: once true, it stays true along
  ///     the tree; otherwise the leaf found is unspecified.
  /// - Throws: The errors of resolving nodes; see `TreeSession`.
  /// - Complexity: O(fanOut · height) advances; visits `height + 1` nodes, or none if the tree
  ///   does not reach the position.
  @inlinable
  package func firstLeaf<Place: Dimension>(
    from start: Place, where reached: (Place) -> Bool, in session: TreeSession
  ) throws -> LeafPosition<Leaf, Place>? {
    var before = start
    var leafStart = 0
    let node = try descend(in: session) { summary, count in
      var after = before
      after.advance(over: summary, count: count)
      if reached(after) { return true }
      before = after
      leafStart += count
      return false
    }
    return node.map { LeafPosition(node: $0, before: before, offset: leafStart) }
  }

  /// Descends level by level into the first child for which `stops` is true, or the last one if
  /// there is none, which happens only if the law is broken.
  ///
  /// Borrows the nodes instead of retaining them: the root keeps nodes in memory alive, and
  /// `loaded` those that the session does not retain. That halves the time of a seek in a tree
  /// that fits the processor's cache.
  @inlinable
  @inline(__always)
  func descend(
    in session: TreeSession, _ stops: (_ summary: Leaf.LeafSummary, _ count: Int) -> Bool
  ) throws -> Node<Leaf>? {
    guard let root, stops(root.summary, root.count) else { return nil }
    var loaded: [Node<Leaf>] = []
    var node = try session.borrow(
      root.ref, height: height, count: root.count, summary: root.summary, keeping: &loaded)
    var level = height
    while level > 0 {
      level -= 1
      node = try node._withUnsafeGuaranteedRef { node in
        let children = node.children
        let index = children.index(where: stops)
        return try session.borrow(
          NodeRef(children.cells[index]), height: level, count: children.counts[index],
          summary: children.summaries[index], keeping: &loaded)
      }
    }
    return withExtendedLifetime((root, loaded)) { node.takeUnretainedValue() }
  }
}

extension Children {
  /// Returns the index of the first child for which `stops` is true, or of the last one if
  /// there is none. Skips whole runs if they are stored.
  ///
  /// - Parameter stops: As for `SumTree.descend(in:_:)`, also called for runs.
  @inlinable
  @inline(__always)
  func index(where stops: (_ summary: Leaf.LeafSummary, _ count: Int) -> Bool) -> Int {
    var index = 0
    for run in runs.indices.dropLast() {
      if stops(runs[run], elementCount(ofRunAt: index)) { break }
      index += Self.runLength
    }
    while index < count - 1, !stops(summaries[index], counts[index]) { index += 1 }
    return index
  }
}
