/// The path copies of `SumTree.updateLeaf` and of both `SumTree.updateLeaves`.
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
    if height == 0 {
      var leaf = node.leaf
      try body(&leaf, start)
      precondition(leaf.count == child.count, "An update keeps the number of elements.")
      return replaced(child, by: leaf)
    }
    var start = start
    let index = node.children.index(ofElement: offset, start: &start)
    let newChild = try updated(
      node.children[index], height: height - 1, start: start, offset: offset, body)
    return replaced(child, height: height, by: node.children.replacing(at: index, with: newChild))
  }

  /// - Returns: `nil` if no leaf below changed.
  @inlinable
  mutating func updated(
    _ child: Child<Leaf>, height: Int, start: Int, overlapping range: Range<Int>,
    isAtEnd: inout Bool, _ body: (inout Leaf, Int, inout Bool) throws -> Bool
  ) throws -> Child<Leaf>? {
    let node = try session.resolve(child, height: height)
    switch node.content {
    case .leaf(var leaf):
      guard try body(&leaf, start, &isAtEnd) else { return nil }
      precondition(leaf.count == child.count, "An update keeps the number of elements.")
      return replaced(child, by: leaf)
    case .inner(_, let children):
      var changed: Children<Leaf>?
      var start = start
      for index in children.indices {
        if isAtEnd || start >= range.upperBound { break }
        let end = start + children.counts[index]
        if end > range.lowerBound,
          let grandchild = try updated(
            children[index], height: height - 1, start: start, overlapping: range,
            isAtEnd: &isAtEnd, body)
        {
          if changed == nil { changed = children }
          changed?.replace(at: index, with: grandchild)
        }
        start = end
      }
      guard let changed else { return nil }
      return replaced(child, height: height, by: changed)
    }
  }

  /// - Parameters:
  ///   - changes: The changes of the leaves below, in order; at least one.
  ///   - place: The state before the node.
  ///   - counts: The allowed numbers of elements in a leaf.
  ///   - left: Receives the changes that are not applied.
  /// - Returns: `nil` if no leaf below changed.
  @inlinable
  mutating func updated<Place: Dimension, Change>(
    _ child: Child<Leaf>, height: Int, from place: Place, _ changes: ArraySlice<Change>,
    counts: ClosedRange<Int>, left: inout [Change], where reached: (Place, Change) -> Bool,
    _ body: (inout Leaf, ArraySlice<Change>) throws -> Bool
  ) throws -> Child<Leaf>? where Place.LeafSummary == Leaf.LeafSummary {
    switch try session.resolve(child, height: height).content {
    case .leaf(var leaf):
      guard try body(&leaf, changes), counts.contains(leaf.count) else {
        left += changes
        return nil
      }
      return replaced(child, by: leaf)
    case .inner(_, let children):
      var changed: Children<Leaf>?
      var (place, rest) = (place, changes)
      for index in children.indices {
        guard let next = rest.first else { break }
        var behind = place
        behind.advance(over: children.summaries[index], count: children.counts[index])
        // Changes after the last child belong to it.
        let isLast = index == children.count - 1
        if isLast || reached(behind, next) {
          let end = isLast ? nil : rest.firstIndex { !reached(behind, $0) }
          let own = rest[..<(end ?? rest.endIndex)]
          rest = rest[own.endIndex...]
          if let grandchild = try updated(
            children[index], height: height - 1, from: place, own, counts: counts, left: &left,
            where: reached, body)
          {
            if changed == nil { changed = children }
            changed?.replace(at: index, with: grandchild)
          }
        }
        place = behind
      }
      guard let changed else { return nil }
      return replaced(child, height: height, by: changed)
    }
  }

  /// Returns a new leaf that replaces a node. The account includes both, and the new node
  /// records the origin.
  @inlinable
  mutating func replaced(_ child: Child<Leaf>, by leaf: Leaf) -> Child<Leaf> {
    edits.replace(child.ref)
    edits.createdNodes += 1
    return Child(leaf: leaf, madeFrom: child.ref)
  }

  /// Returns a new inner node that replaces one, likewise.
  @inlinable
  mutating func replaced(
    _ child: Child<Leaf>, height: Int, by children: Children<Leaf>
  ) -> Child<Leaf> {
    edits.replace(child.ref)
    edits.createdNodes += 1
    return Child(height: height, children: children, madeFrom: child.ref)
  }
}
