/// A place in a tree that moves forward from leaf to leaf.
///
/// A cursor starts before the first leaf. `next()` and `seek(where:)` move it
/// to a leaf, or behind the last one, where it stays. It reads the version of
/// the tree it was made from, whatever happens to the variable.
///
///     var cursor = Cursor(tree, at: Distance(0), in: session)
///     while try cursor.seek(where: { $0 > places.next }) {
///       draw(cursor.leaf, from: cursor.before)
///     }
///
/// Moves are finger searches: they climb only as far as they must, so that a
/// sequence of seeks over neighbouring leaves costs little more than a scan.
///
/// After a throw a cursor must not be used any more.
@usableFromInline package struct Cursor<Leaf: TreeLeaf, Place: Dimension>
where Place.LeafSummary == Leaf.LeafSummary {
  @usableFromInline let tree: SumTree<Leaf>
  @usableFromInline let session: TreeSession

  /// The inner nodes from the root down to the current leaf, each with the
  /// index of the child on the path.
  @usableFromInline var path: [PathStep<Leaf>] = []
  @usableFromInline var current: Leaf?
  @usableFromInline var isStarted = false
  @usableFromInline var place: Place
  @usableFromInline var elementsBefore = 0

  /// Creates a cursor before the first leaf.
  ///
  /// - Parameter start: The state before the first element.
  /// - Complexity: O(1); visits nothing and allocates nothing.
  @inlinable
  package init(_ tree: SumTree<Leaf>, at start: Place, in session: TreeSession) {
    self.tree = tree
    self.session = session
    place = start
  }

  /// The current leaf.
  ///
  /// - Precondition: The last move returned `true`.
  @inlinable
  package var leaf: Leaf {
    guard let current else { preconditionFailure("The cursor is at no leaf.") }
    return current
  }

  /// The state before the current leaf; behind the last leaf, that of the whole
  /// tree.
  @inlinable
  package var before: Place { place }

  /// The number of elements before the current leaf; behind the last leaf, all.
  @inlinable
  package var offset: Int { elementsBefore }

  /// Moves to the next leaf, the first one if there was no move before.
  ///
  /// - Returns: `false` at the end.
  /// - Throws: What resolving nodes throws; see `TreeSession`.
  /// - Complexity: O(1) amortised over a scan, O(height) at worst.
  @inlinable
  @discardableResult
  package mutating func next() throws -> Bool {
    passCurrentLeaf()
    return try move { _, _, _, _ in true }
  }

  /// Moves to the first leaf, from the current one on, behind which the state
  /// has reached a place. The current leaf is not left if it is the one.
  ///
  /// - Parameter reached: Whether a state has reached the place. Law: once
  ///   true, it stays true along the tree; otherwise the leaf is unspecified.
  /// - Returns: `false` at the end.
  /// - Throws: What resolving nodes throws; see `TreeSession`.
  /// - Complexity: O(fanOut · log d) advances for a leaf `d` leaves away.
  @inlinable
  @discardableResult
  package mutating func seek(where reached: (Place) -> Bool) throws -> Bool {
    try seek { before, _, summary, count in
      var after = before
      after.advance(over: summary, count: count)
      return reached(after)
    }
  }

  /// Moves to the leaf that contains an element, from the current leaf on.
  ///
  /// The state is advanced in place and never copied, so it may be an array.
  ///
  /// - Returns: `false` if there is no such element.
  /// - Throws: What resolving nodes throws; see `TreeSession`.
  /// - Complexity: O(fanOut · log d) advances for a leaf `d` leaves away.
  @inlinable
  @discardableResult
  package mutating func seek(toElement target: Int) throws -> Bool {
    try seek { _, offset, _, count in target - offset < count }
  }
}

extension Cursor where Place == ElementOffset<Leaf> {
  /// Creates a cursor that only counts, before the first leaf.
  @inlinable
  package init(_ tree: SumTree<Leaf>, in session: TreeSession) {
    self.init(tree, at: ElementOffset(), in: session)
  }
}

// MARK: - Moving

extension Cursor {
  @usableFromInline typealias Stop =
    (_ before: Place, _ offset: Int, _ summary: Leaf.LeafSummary, _ count: Int) -> Bool

  /// The current leaf, seen from its parent.
  @inlinable
  var currentChild: Child<Leaf>? {
    guard current != nil else { return nil }
    guard let step = path.last else { return tree.root }
    return step.node.children[step.index]
  }

  @inlinable
  @inline(__always)
  mutating func seek(stoppingAt stops: Stop) throws -> Bool {
    if let child = currentChild {
      if stops(place, elementsBefore, child.summary, child.count) { return true }
      passCurrentLeaf()
    }
    return try move(stoppingAt: stops)
  }

  @inlinable
  mutating func passCurrentLeaf() {
    guard let child = currentChild else { return }
    pass(child.summary, child.count)
    current = nil
  }

  @inlinable
  @inline(__always)
  mutating func pass(_ summary: Leaf.LeafSummary, _ count: Int) {
    place.advance(over: summary, count: count)
    elementsBefore += count
  }

  /// Moves from between two leaves to the first one behind at which `stops` is
  /// true for it and for all nodes above it that were not entered before.
  @inlinable
  @inline(__always)
  mutating func move(stoppingAt stops: Stop) throws -> Bool {
    if !isStarted {
      isStarted = true
      guard let root = tree.root else { return false }
      guard stops(place, elementsBefore, root.summary, root.count) else {
        pass(root.summary, root.count)
        return false
      }
      if try enter(root, height: tree.height) { return true }
    }
    while let step = path.last {
      guard case .inner(let height, let children) = step.node.content else {
        preconditionFailure("A path consists of inner nodes.")
      }
      var index = step.index + 1
      while index < children.count,
        !stops(place, elementsBefore, children.summaries[index], children.counts[index])
      {
        pass(children.summaries[index], children.counts[index])
        index += 1
      }
      guard index < children.count else {
        path.removeLast()
        continue
      }
      path[path.count - 1].index = index
      if try enter(children[index], height: height - 1) { return true }
    }
    return false
  }

  /// Makes a leaf the current one and returns true, or appends an inner node to
  /// the path.
  @inlinable
  mutating func enter(_ child: Child<Leaf>, height: Int) throws -> Bool {
    let node = try session.resolve(child, height: height)
    switch node.content {
    case .leaf(let leaf):
      current = leaf
      return true
    case .inner:
      if path.isEmpty { path.reserveCapacity(height) }
      path.append(PathStep(node: node, index: -1))
      return false
    }
  }
}
