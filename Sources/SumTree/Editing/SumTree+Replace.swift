extension SumTree {
  /// Replaces the elements of a range by those of a run. Insertion, removal and appending are
  /// special cases.
  ///
  /// The run may be of any length and the range may cover any number of leaves; subtrees within
  /// the range are dropped without being read.
  ///
  /// - Parameters:
  ///   - range: The elements to replace, half-open, within `0...count`.
  ///   - run: The elements to insert instead, or `nil` for none.
  ///   - session: The session; its account receives the effects of the edit.
  /// - Returns: The range of elements, in the new tree, of the leaves that the edit created;
  ///   `nil` if it created none. They are the inserted elements, and those that share a leaf
  ///   with them or had to move to another leaf.
  /// - Throws: The errors of resolving nodes; the tree and the account are unchanged.
  /// - Complexity: O(run.count + leafCapacity + fanOut · height). Replacing elements within a
  ///   leaf that stays within its bounds creates `height + 1` nodes.
  @inlinable
  @discardableResult
  package mutating func replaceSubrange(
    _ range: Range<Int>, with run: Leaf?, in session: TreeSession
  ) throws -> Range<Int>? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "The range is outside.")
    let run = run.flatMap { $0.count > 0 ? $0 : nil }
    guard !range.isEmpty || run != nil else { return nil }
    guard let root else {
      guard let run else { return nil }
      self = SumTree(shape: shape, run: run, edits: &session.edits)
      return 0..<run.count
    }
    var splice = try Splice(replacing: range, of: root, height: height, shape: shape, in: session)
    let result = try splice.apply(run)
    self = SumTree(shape: shape, root: result.root, height: result.height)
    session.edits.append(splice.edits)
    assert(holdsInvariantsIfChecked)
    return splice.createdLeaves
  }

  /// Creates a tree of the run's elements.
  @inlinable
  init(shape: TreeShape, run: Leaf, edits: inout TreeEdits) {
    var level = ContiguousArray(
      shape.leaves(for: run.count, inOneUpTo: shape.leafCapacity).map {
        Child(leaf: run.slice($0))
      })
    edits.createdNodes += level.count
    var height = 0
    while level.count > 1 {
      height += 1
      level = shape.group(Children(level), height: height)
      edits.createdNodes += level.count
    }
    self.init(shape: shape, root: level.first, height: height)
  }

  /// Changes the leaf that contains an element, keeping its length.
  ///
  /// - Parameters:
  ///   - offset: The element whose leaf is changed.
  ///   - session: The session; its account receives the effects of the edit.
  ///   - body: Changes the leaf; the second argument is the offset of the leaf's first element.
  ///     It must not change the leaf's count.
  /// - Precondition: `offset` is within `0..<count`.
  /// - Throws: The errors of resolving nodes and of `body`; the tree and the account are unchanged.
  /// - Complexity: O(leafCapacity + fanOut · height); creates `height + 1` nodes.
  @inlinable
  package mutating func updateLeaf(
    containing offset: Int, in session: TreeSession,
    _ body: (_ leaf: inout Leaf, _ start: Int) throws -> Void
  ) throws {
    guard let root, offset >= 0, offset < root.count else {
      preconditionFailure("The offset is outside the tree.")
    }
    var update = LeafUpdate<Leaf>(in: session)
    let newRoot = try update.updated(root, height: height, start: 0, offset: offset, body)
    self = SumTree(shape: shape, root: newRoot, height: height)
    session.edits.append(update.edits)
    assert(holdsInvariantsIfChecked)
  }

  /// Changes the leaves that hold a range of elements, in document order, keeping their lengths.
  /// Unchanged leaves stay, and so do nodes above only unchanged leaves. No node is replaced twice.
  ///
  /// - Parameters:
  ///   - range: The elements whose leaves may be changed, within `0..<count`.
  ///   - session: The session; its account receives the effects of the edit.
  ///   - body: Changes a leaf and returns whether it did; the second argument is the offset of
  ///     the leaf's first element. It sets the third argument to stop.
  /// - Throws: The errors of resolving nodes and of `body`; the tree and the account are unchanged.
  /// - Complexity: O(leaves of the range + fanOut · height).
  @inlinable
  package mutating func updateLeaves(
    overlapping range: Range<Int>, in session: TreeSession,
    _ body: (_ leaf: inout Leaf, _ start: Int, _ isAtEnd: inout Bool) throws -> Bool
  ) throws {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "The range is outside.")
    guard let root, !range.isEmpty else { return }
    var update = LeafUpdate<Leaf>(in: session)
    var isAtEnd = false
    let newRoot = try update.updated(
      root, height: height, start: 0, overlapping: range, isAtEnd: &isAtEnd, body)
    guard let newRoot else { return }
    self = SumTree(shape: shape, root: newRoot, height: height)
    session.edits.append(update.edits)
    assert(holdsInvariantsIfChecked)
  }

  /// Changes the leaves at a sequence of positions, once each, and may change their lengths.
  /// Each node is replaced once, however many changes affect it.
  ///
  /// Leaves are neither split nor joined. A leaf that would have too few or too many elements
  /// is unchanged, and its changes are left to the caller.
  ///
  /// - Parameters:
  ///   - changes: The changes, in the order of their positions.
  ///   - start: The state before the first element.
  ///   - session: The session; its account receives the effects of the edit.
  ///   - reached: Whether a state has reached the position of a change. A change belongs to the
  ///     first leaf after which it is reached, or to the last leaf. Law: as for
  ///     `firstLeaf(from:where:in:)`, and a state that reaches a change reaches the changes
  ///     before it.
  ///   - body: Applies the changes of a leaf, or returns `false` to skip them.
  /// - Returns: The skipped changes, in order.
  /// - Throws: The errors of resolving nodes and of `body`; the tree and the account are unchanged.
  /// - Complexity: O(leafCapacity + fanOut · height) for each affected leaf; creates the nodes
  ///   on the paths to them.
  @inlinable
  package mutating func updateLeaves<Place: Dimension, Change>(
    at changes: [Change], from start: Place, where reached: (Place, Change) -> Bool,
    in session: TreeSession,
    _ body: (_ leaf: inout Leaf, _ changes: ArraySlice<Change>) throws -> Bool
  ) throws -> [Change] where Place.LeafSummary == Leaf.LeafSummary {
    guard let root, !changes.isEmpty else { return changes }
    var update = LeafUpdate<Leaf>(in: session)
    var left: [Change] = []
    let newRoot = try update.updated(
      root, height: height, from: start, changes[...],
      counts: (height == 0 ? 1 : shape.elementsMin)...shape.leafCapacity, left: &left,
      where: reached, body)
    guard let newRoot else { return left }
    self = SumTree(shape: shape, root: newRoot, height: height)
    session.edits.append(update.edits)
    assert(holdsInvariantsIfChecked)
    return left
  }
}

extension TreeShape {
  /// Groups all children into parents of the given height.
  ///
  /// - Parameter old: The origin of the first parent, if any.
  @inlinable
  func group<Leaf>(
    _ children: Children<Leaf>, height: Int, madeFrom old: NodeRef<Leaf>? = nil
  ) -> ContiguousArray<Child<Leaf>> {
    guard children.count > fanOut else {
      return [Child(height: height, children: children, madeFrom: old)]
    }
    return ContiguousArray(
      nodes(for: children.count).map {
        Child(
          height: height, children: children.slice($0), madeFrom: $0.lowerBound == 0 ? old : nil)
      })
  }
}
