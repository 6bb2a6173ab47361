/// What a search does about a run of elements that it comes to.
@usableFromInline package enum SearchStep: Sendable {
  /// Passes over it: nothing in it is wanted.
  case skip
  /// Looks into it: something may be wanted.
  case enter
  /// Ends: nothing from here on is wanted.
  case stop
}

extension SumTree {
  /// Calls `body` with the leaves that a search enters, in order.
  ///
  /// One pass for any number of things that are looked for at once, none of which need
  /// lie in order: each node is looked at once. The state is advanced in place and
  /// never copied, so it may be an array.
  ///
  /// - Parameters:
  ///   - start: The state before the first element.
  ///   - step: What to do about a run, by the state before it, its summary, and the
  ///     number of elements before its end. Law: a run is entered if a part of it
  ///     would be.
  ///   - body: Is given the leaf, the state before it, and the number of elements
  ///     before it; returns whether to go on.
  /// - Throws: What resolving nodes and `body` throw.
  /// - Complexity: O(fanOut) advances for each node entered.
  @inlinable
  package func forEachLeaf<Place: Dimension>(
    from start: Place, in session: TreeSession,
    step: (_ before: borrowing Place, _ summary: borrowing Leaf.LeafSummary, _ end: Int)
      -> SearchStep,
    body: (_ leaf: Leaf, _ before: borrowing Place, _ offset: Int) throws -> Bool
  ) throws where Place.LeafSummary == Leaf.LeafSummary {
    guard let root else { return }
    var before = start
    var offset = 0
    _ = try Self.search(
      Children(CollectionOfOne(root)), height: height + 1, before: &before, offset: &offset,
      in: session, step: step, body: body)
  }

  /// Calls `body` with every leaf and the offset of its first element, in
  /// document order.
  ///
  /// - Throws: What resolving nodes and `body` throw.
  /// - Complexity: O(nodes); keeps them in memory unless the session says not
  ///   to.
  @inlinable
  package func forEachLeaf(
    in session: TreeSession, _ body: (_ leaf: Leaf, _ start: Int) throws -> Void
  ) throws {
    try forEachLeaf(overlapping: 0..<count, in: session, body)
  }

  /// Calls `body` with the leaves that hold a range of elements, and the offset of
  /// the first element of each, in document order.
  ///
  /// - Throws: What resolving nodes and `body` throw.
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

  /// Searches the children of a node of the given height.
  ///
  /// - Returns: Whether to go on behind them.
  @inlinable
  static func search<Place: Dimension>(
    _ children: Children<Leaf>, height: Int, before: inout Place, offset: inout Int,
    in session: TreeSession,
    step: (_ before: borrowing Place, _ summary: borrowing Leaf.LeafSummary, _ end: Int)
      -> SearchStep,
    body: (_ leaf: Leaf, _ before: borrowing Place, _ offset: Int) throws -> Bool
  ) throws -> Bool where Place.LeafSummary == Leaf.LeafSummary {
    for index in children.summaries.indices {
      let count = children.counts[index]
      switch step(before, children.summaries[index], offset + count) {
      case .stop: return false
      case .skip: break
      case .enter:
        let node = try session.resolve(
          NodeRef<Leaf>(children.cells[index]), height: height - 1, count: count,
          summary: children.summaries[index])
        switch node.content {
        case .inner(let height, let grandchildren):
          guard
            try search(
              grandchildren, height: height, before: &before, offset: &offset, in: session,
              step: step, body: body)
          else { return false }
          // The state and the offset are those behind the grandchildren.
          continue
        case .leaf(let leaf):
          guard try body(leaf, before, offset) else { return false }
        }
      }
      before.advance(over: children.summaries[index], count: count)
      offset += count
    }
    return true
  }
}
