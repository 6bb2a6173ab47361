extension SumTree {
  /// Checks all invariants in every node.
  ///
  /// - Parameter session: Loads nodes that are not in memory; pass one that does not retain nodes
  ///   to check a large tree in constant memory. With `nil`, only nodes in memory are checked.
  /// - Throws: `TreeError` for the first violation in document order, parents before their
  ///   children except for their summaries and counts; the errors of resolving nodes.
  /// - Complexity: O(elements).
  @usableFromInline package func checkInvariants(in session: TreeSession?) throws {
    guard let root else { return }
    try check(root, height: height, isRoot: true, in: session)
  }

  /// Whether the invariants hold, or are not checked. Called after each mutation in debug
  /// builds. Compile with `-D SUMTREE_INVARIANTS` to check trees of all sizes, which makes
  /// every edit O(elements).
  @usableFromInline
  var holdsInvariantsIfChecked: Bool {
    #if SUMTREE_INVARIANTS
      let elementCountMax = Int.max
    #else
      let elementCountMax = 128
    #endif
    guard count <= elementCountMax, InvariantChecks.areOn else { return true }
    do {
      try checkInvariants(in: nil)
      return true
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func check(
    _ child: Child<Leaf>, height: Int, isRoot: Bool, in session: TreeSession?
  ) throws {
    let id = child.ref.id
    let resolved = try session?.resolve(child, height: height) ?? child.ref.node
    guard let node = resolved else { return }
    func fail(_ code: TreeError.Code, expected: Int? = nil, actual: Int? = nil) -> TreeError {
      TreeError(code, node: id, expected: expected, actual: actual)
    }
    guard child.count > 0 else { throw fail(.emptyNode) }
    guard node.height == height else {
      throw fail(.wrongHeight, expected: height, actual: node.height)
    }
    let size: Int
    let sizeMin: Int
    let sizeMax: Int
    let total: (summary: Leaf.LeafSummary, count: Int)
    switch node.content {
    case .leaf(let leaf):
      size = leaf.count
      sizeMin = isRoot ? 1 : shape.elementsMin
      sizeMax = shape.leafCapacity
      total = (leaf.summary, leaf.count)
    case .inner(_, let children):
      size = children.count
      sizeMin = isRoot ? 2 : shape.childrenMin
      sizeMax = shape.fanOut
      total = children.total
    }
    guard size >= sizeMin else { throw fail(.underfullNode, expected: sizeMin, actual: size) }
    guard size <= sizeMax else { throw fail(.overfullNode, expected: sizeMax, actual: size) }
    guard total.count == child.count else {
      throw fail(.wrongCount, expected: total.count, actual: child.count)
    }
    guard total.summary == child.summary else { throw fail(.wrongSummary) }
    guard case .inner(_, let children) = node.content else { return }
    guard children.areRunsProducts else { throw fail(.wrongSummary) }
    for grandchild in children {
      try check(grandchild, height: height - 1, isRoot: false, in: session)
    }
  }
}
