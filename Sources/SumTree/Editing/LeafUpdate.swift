/// The path copy of `SumTree.updateLeaf`.
@usableFromInline
struct LeafUpdate<Leaf: TreeLeaf> {
  @usableFromInline let session: TreeSession
  @usableFromInline var edits = TreeEdits()

  @inlinable
  init(in session: TreeSession) {
    self.session = session
  }

  @inlinable
  mutating func updated(
    _ child: Child<Leaf>, height: Int, start: Int, offset: Int,
    _ body: (inout Leaf, Int) throws -> Void
  ) throws -> Child<Leaf> {
    let node = try session.resolve(child, height: height)
    edits.replace(child.ref)
    edits.createdNodes += 1
    switch node.content {
    case .leaf(var leaf):
      try body(&leaf, start)
      precondition(leaf.count == child.count, "An update keeps the number of elements.")
      return Child(leaf: leaf)
    case .inner(_, let children):
      var index = 0
      var start = start
      while offset - start >= children.counts[index] {
        start += children.counts[index]
        index += 1
      }
      let newChild = try updated(
        children[index], height: height - 1, start: start, offset: offset, body)
      return Child(
        height: height, children: children.replacing(at: index, with: newChild))
    }
  }
}
