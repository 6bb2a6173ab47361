extension SumTree {
  /// Replaces the elements of a range by those of a run: the one edit of which
  /// insertion, removal and appending are special cases.
  ///
  /// The run may be of any length and the range may cover any number of leaves;
  /// subtrees that lie within it are dropped without being read.
  ///
  /// - Parameters:
  ///   - range: The elements to be replaced, half-open, within `0...count`.
  ///   - run: The elements to be inserted in their place, or `nil` for none.
  ///   - session: Its account receives what the edit did.
  /// - Returns: The elements, in the new tree, of the leaves that the edit made; `nil`
  ///   if it made none. They are those inserted, and those that share a leaf with them
  ///   or had to move to another leaf.
  /// - Throws: What resolving nodes throws; the tree and the account are unchanged.
  /// - Complexity: O(run.count + leafCapacity + fanOut · height). Replacing
  ///   elements within a leaf that stays within its bounds makes `height + 1`
  ///   nodes.
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
    var splice = try Splice(
      replacing: range, of: root, height: height, shape: shape, in: session)
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
  ///   - session: Its account receives what the edit did.
  ///   - body: Changes the leaf; the second argument is the offset of the leaf's
  ///     first element. It must not change the leaf's count.
  /// - Precondition: `offset` is within `0..<count`.
  /// - Throws: What resolving nodes and `body` throw; the tree and the
  ///   account are unchanged.
  /// - Complexity: O(leafCapacity + fanOut · height); makes `height + 1` nodes.
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

  /// Changes leaves that hold a range of elements, in document order, keeping their
  /// lengths. Leaves that are left alone stay, and so do the nodes above only such: no
  /// node is replaced twice.
  ///
  /// - Parameters:
  ///   - range: The elements whose leaves may be changed, within `0..<count`.
  ///   - session: Its account receives what the edit did.
  ///   - body: Changes a leaf and returns whether it did; the second argument is the
  ///     offset of the leaf's first element. Sets the third one to go no further.
  /// - Throws: What resolving nodes and `body` throw; the tree and the account are
  ///   unchanged.
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

  /// Changes the leaves at places that come in order, once each, and may change their
  /// lengths: however many changes a node is concerned by, it is replaced once.
  ///
  /// Leaves are neither cut nor joined. Where one would have too few or too many elements
  /// it stays, and its changes are left to the caller.
  ///
  /// - Parameters:
  ///   - changes: What is to be done, in the order of its places.
  ///   - start: The state before the first element.
  ///   - session: Its account receives what the edit did.
  ///   - reached: Whether a state has reached the place of a change. A change belongs to
  ///     the first leaf after which it is reached, or to the last leaf. Law: as for
  ///     `firstLeaf(from:where:in:)`, and what reaches a change reaches those before it.
  ///   - body: Carries the changes of a leaf out, or returns `false` to leave them.
  /// - Returns: The changes that are left, in order.
  /// - Throws: What resolving nodes and `body` throw; the tree and the account are
  ///   unchanged.
  /// - Complexity: O(leafCapacity + fanOut · height) for each leaf concerned; makes the
  ///   nodes on the paths to them.
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
  /// Puts all children into parents of the given height.
  ///
  /// - Parameter old: The node that the first parent is made from, if any.
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
          height: height, children: children.slice($0),
          madeFrom: $0.lowerBound == 0 ? old : nil)
      })
  }
}
