/// The next step of a search at a run of elements.
@usableFromInline package enum SearchStep: Sendable {
  /// Skip the run: it contains no match.
  case skip
  /// Enter the run: it may contain matches.
  case enter
  /// Stop: there are no further matches.
  case stop
}

extension SumTree {
  /// Calls `body` with the leaves that a search enters, in order.
  ///
  /// One pass finds any number of targets in any order: each node is visited once. The state is
  /// advanced in place and never copied, so it may be an array.
  ///
  /// - Parameters:
  ///   - start: The state before the first element.
  ///   - step: Returns the next step at a run, by the state before it, its summary, and the
  ///     number of elements before its end. Law: a run is entered if a part of it would be.
  ///   - body: Receives the leaf, the state before it, and the number of elements before it;
  ///     returns whether to continue.
  /// - Throws: The errors of resolving nodes and of `body`.
  /// - Complexity: O(fanOut) advances for each node entered.
  @inlinable
  @inline(__always)
  package func forEachLeaf<Place: Dimension>(
    from start: Place, in session: TreeSession,
    step: (_ before: borrowing Place, _ summary: borrowing Leaf.LeafSummary, _ end: Int)
      -> SearchStep,
    body: (_ leaf: Leaf, _ before: borrowing Place, _ offset: Int) throws -> Bool
  ) throws where Place.LeafSummary == Leaf.LeafSummary {
    guard let root, step(start, root.summary, root.count) == .enter else { return }
    var before = start
    var offset = 0
    // The session may not retain the nodes of the path.
    var loaded: [Node<Leaf>] = []
    let first = try session.borrow(
      root.ref, height: height, count: root.count, summary: root.summary, keeping: &loaded)
    if height == 0 {
      _ = try first._withUnsafeGuaranteedRef { try body($0.leaf, before, offset) }
    } else {
      try Self.withPath(from: first, height: height) { path in
        while let node = path.node {
          let height = path.height
          let isToGoOn = try node._withUnsafeGuaranteedRef { node in
            try Self.search(
              node.children, along: &path, before: &before, offset: &offset, in: session,
              keeping: &loaded, step: step, body: body)
          }
          if !isToGoOn { return }
          if path.height > height, !loaded.isEmpty { loaded.removeLast() }
        }
      }
    }
    withExtendedLifetime((self, loaded)) {}
  }

  /// Calls `body` with every leaf and the offset of its first element, in document order.
  ///
  /// - Throws: The errors of resolving nodes and of `body`.
  /// - Complexity: O(nodes); retains them in memory if the session does.
  @inlinable
  package func forEachLeaf(
    in session: TreeSession, _ body: (_ leaf: Leaf, _ start: Int) throws -> Void
  ) throws {
    try forEachLeaf(overlapping: 0..<count, in: session, body)
  }

  /// Calls `body` with the leaves that hold a range of elements, and the offset of the first
  /// element of each, in document order.
  ///
  /// - Throws: The errors of resolving nodes and of `body`.
  /// - Complexity: O(log n) nodes, and the leaves.
  @inlinable
  package func forEachLeaf(
    overlapping range: Range<Int>, in session: TreeSession,
    _ body: (_ leaf: Leaf, _ start: Int) throws -> Void
  ) throws {
    if range.isEmpty { return }
    try forEachLeaf(
      from: ElementOffset<Leaf>(), in: session,
      step: { before, _, end in
        before.count >= range.upperBound ? .stop : end > range.lowerBound ? .enter : .skip
      },
      body: { leaf, _, start in
        try body(leaf, start)
        return true
      })
  }

  /// Searches the children of the path's last node from the current one on, until it enters an
  /// inner node, which it pushes on the path, or passes the last child, when it pops the node.
  ///
  /// - Returns: Whether to continue.
  @inlinable
  @inline(__always)
  static func search<Place: Dimension>(
    _ children: Children<Leaf>, along path: inout SearchPath<Leaf>, before: inout Place,
    offset: inout Int, in session: TreeSession, keeping loaded: inout [Node<Leaf>],
    step: (_ before: borrowing Place, _ summary: borrowing Leaf.LeafSummary, _ end: Int)
      -> SearchStep,
    body: (_ leaf: Leaf, _ before: borrowing Place, _ offset: Int) throws -> Bool
  ) throws -> Bool where Place.LeafSummary == Leaf.LeafSummary {
    try children.withFactors { summaries, counts, runs in
      let runLength = Children<Leaf>.runLength
      var index = path.index
      while index < counts.count {
        if !runs.isEmpty, index % runLength == 0 {
          let count = children.elementCount(ofRunAt: index)
          let step = step(before, runs[index / runLength], offset + count)
          if step == .stop { return false }
          if step == .skip {
            before.advance(over: runs[index / runLength], count: count)
            offset += count
            index += runLength
            continue
          }
        }
        let step = step(before, summaries[index], offset + counts[index])
        if step == .stop { return false }
        if step == .enter {
          let node = try session.borrow(
            NodeRef<Leaf>(children.cells[index]), height: path.height - 1,
            count: counts[index], summary: summaries[index], keeping: &loaded)
          if path.height > 1 {
            path.push(node, after: index)
            return true
          }
          guard try node._withUnsafeGuaranteedRef({ try body($0.leaf, before, offset) })
          else { return false }
          if !loaded.isEmpty { loaded.removeLast() }
        }
        before.advance(over: summaries[index], count: counts[index])
        offset += counts[index]
        index += 1
      }
      path.pop()
      return true
    }
  }

  /// Runs `body` with a path at the first child of a node.
  @inlinable
  @inline(__always)
  static func withPath(
    from node: Unmanaged<Node<Leaf>>, height: Int,
    _ body: (inout SearchPath<Leaf>) throws -> Void
  ) throws {
    try withUnsafeTemporaryAllocation(of: SearchPath<Leaf>.Step.self, capacity: height) {
      var path = SearchPath(steps: $0, from: node)
      try body(&path)
    }
  }
}

/// The borrowed inner nodes on the path to a search's position, with the current child in each.
///
/// Retaining each node, and the arrays in it, would take longer than the search. The nodes live
/// as long as the searched tree or, if the session does not retain them, in an array next to
/// the path. The steps' memory has room for one node for each height from the root's down to 1;
/// a path never has more.
@usableFromInline
struct SearchPath<Leaf: TreeLeaf> {
  @usableFromInline typealias Step = (node: Unmanaged<Node<Leaf>>, index: Int)

  @usableFromInline let steps: UnsafeMutableBufferPointer<Step>
  /// The height of the last node.
  @usableFromInline var height: Int
  /// The current child in the last node.
  @usableFromInline var index: Int

  @inlinable
  init(steps: UnsafeMutableBufferPointer<Step>, from node: Unmanaged<Node<Leaf>>) {
    self.steps = steps
    height = steps.count
    index = 0
    steps.initializeElement(at: height - 1, to: (node, 0))
  }

  /// The last node; `nil` after the root.
  @inlinable
  var node: Unmanaged<Node<Leaf>>? { height > steps.count ? nil : steps[height - 1].node }

  /// Continues with a child of the last node, to return to the child after it.
  @inlinable
  mutating func push(_ node: Unmanaged<Node<Leaf>>, after child: Int) {
    steps[height - 1].index = child + 1
    height -= 1
    index = 0
    steps.initializeElement(at: height - 1, to: (node, 0))
  }

  /// Returns to the parent of the last node.
  @inlinable
  mutating func pop() {
    height += 1
    if height <= steps.count { index = steps[height - 1].index }
  }
}
