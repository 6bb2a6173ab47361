/// One `SumTree.replaceSubrange` in progress.
///
/// Two paths enclose the range: `left` leads to the leaf with its first element, `right` to the
/// leaf with its last. The nodes between them are dropped. The nodes on the paths are rebuilt
/// level by level from the leaves up: the nodes of a level replace, in the level above, the
/// children between the two paths, and that list is split into nodes again.
///
/// Strategy against undersized nodes: *before* a level's list is split, it is extended by a
/// neighbour to the left or right, a sibling or a cousin, if it is too short. Absorbing a cousin
/// moves the path to it, so that the level above still replaces exactly the nodes between the
/// paths. Hence each level is correct when the next one starts, and nothing needs repair.
///
/// Invariants:
/// - `left` and `right` have `height` steps, from the root down.
/// - Every node that was ever on a path is recorded in `edits` as replaced.
/// - If a level has no neighbour to absorb, its list is the whole level, and the tree ends there.
@usableFromInline
struct Splice<Leaf: TreeLeaf> {
  @usableFromInline let shape: TreeShape
  @usableFromInline let session: TreeSession
  @usableFromInline let height: Int
  @usableFromInline let range: Range<Int>
  @usableFromInline var edits = TreeEdits()
  /// The range of elements, in the new tree, of the created leaves.
  @usableFromInline var createdLeaves: Range<Int>?
  @usableFromInline var left: [PathStep<Leaf>] = []
  @usableFromInline var right: [PathStep<Leaf>] = []

  @usableFromInline let root: NodeRef<Leaf>

  /// The first and the last leaf touched, with their starts.
  @usableFromInline var first: Child<Leaf>
  @usableFromInline var firstStart = 0
  @usableFromInline var last: Child<Leaf>
  @usableFromInline var lastStart = 0

  @inlinable
  init(
    replacing range: Range<Int>, of root: Child<Leaf>, height: Int, shape: TreeShape,
    in session: TreeSession
  ) throws {
    self.shape = shape
    self.session = session
    self.height = height
    self.range = range
    self.root = root.ref
    first = root
    last = root
    try findLeft(min(range.lowerBound, root.count - 1))
    try findRight(max(range.upperBound - 1, firstStart), root: root)
  }

  @inlinable
  mutating func apply(_ run: Leaf?) throws -> (root: Child<Leaf>?, height: Int) {
    dropBetween()
    var level = try replacedLeaves(run)
    for height in stride(from: 1, through: height, by: 1) {
      let (from, to) = (left[self.height - height], right[self.height - height])
      var children = children(between: from, to, with: level)
      if !children.isEmpty, children.count < shape.childrenMin {
        if let side = neighbour(height: height) {
          let taken = try takeNeighbour(side, height: height).children
          let (head, tail) = side == .left ? (taken, children) : (children, taken)
          children = .spliced(head, upTo: head.count, with: [], from: 0, of: tail)
        } else {
          return top(children, height: height)
        }
      }
      level = children.isEmpty ? [] : group(children, height: height)
    }
    var height = height
    while level.count > 1 {
      height += 1
      level = group(Children(level), height: height)
    }
    return (level.first, level.isEmpty ? 0 : height)
  }
}

extension Splice {
  /// Returns the children of the nodes on the paths, with other ones instead of those between
  /// the paths.
  @inlinable
  func children(
    between from: PathStep<Leaf>, _ to: PathStep<Leaf>,
    with level: ContiguousArray<Child<Leaf>>
  ) -> Children<Leaf> {
    // The most common edit multiplies one run, not all.
    if level.count == 1, from.node === to.node, from.index == to.index {
      return from.node.children.replacing(at: from.index, with: level[0])
    }
    return .spliced(
      from.node.children, upTo: from.index, with: level, from: to.index + 1, of: to.node.children)
  }
}

// MARK: - Finding the paths

extension Splice {
  @inlinable
  mutating func findLeft(_ target: Int) throws {
    left.reserveCapacity(height)
    edits.replace(first.ref)
    for level in stride(from: height, to: 0, by: -1) {
      let node = try session.resolve(first, height: level)
      let index = node.children.index(ofElement: target, start: &firstStart)
      left.append(PathStep(node: node, index: index))
      first = node.children[index]
      edits.replace(first.ref)
    }
  }

  /// Follows the left path while it contains the target.
  @inlinable
  mutating func findRight(_ target: Int, root: Child<Leaf>) throws {
    right = left
    last = first
    lastStart = firstStart
    guard target - firstStart >= first.count else { return }
    last = root
    lastStart = 0
    var isShared = true
    for level in stride(from: height, to: 0, by: -1) {
      let depth = height - level
      let node = isShared ? left[depth].node : try session.resolve(last, height: level)
      let index = node.children.index(ofElement: target, start: &lastStart)
      isShared = isShared && index == left[depth].index
      right[depth] = PathStep(node: node, index: index)
      last = node.children[index]
      if !isShared { edits.replace(last.ref) }
    }
  }

  /// Records everything between the paths as dropped.
  @inlinable
  mutating func dropBetween() {
    for depth in 0..<height {
      let from = left[depth]
      let to = right[depth]
      let children = from.node.children
      let level = height - depth - 1
      if from.node === to.node {
        guard from.index < to.index else { continue }
        for child in children[(from.index + 1)..<to.index] { edits.drop(child, height: level) }
      } else {
        for child in children[(from.index + 1)...] { edits.drop(child, height: level) }
        for child in to.node.children[..<to.index] { edits.drop(child, height: level) }
      }
    }
  }
}

// MARK: - Leaves and tops

extension Splice {
  /// Creates the leaves that replace those between the paths.
  @inlinable
  mutating func replacedLeaves(_ run: Leaf?) throws -> ContiguousArray<Child<Leaf>> {
    var rest = try remainder(around: run)
    var start = firstStart
    if let short = rest, short.count < shape.elementsMin, let side = neighbour(height: 0) {
      let taken = try takeNeighbour(side, height: 0).leaf
      rest = side == .left ? taken.joined(with: short) : short.joined(with: taken)
      if side == .left { start -= taken.count }
    }
    guard let rest else { return [] }
    createdLeaves = start..<start + rest.count
    let leaves: ContiguousArray<Child<Leaf>> =
      rest.count <= shape.leafCapacity
      ? [Child(leaf: rest, madeFrom: first.ref)]
      : ContiguousArray(
        shape.leaves(for: rest.count, inOneUpTo: shape.leafCapacity).map {
          Child(leaf: rest.slice($0), madeFrom: $0.lowerBound == 0 ? first.ref : nil)
        })
    edits.createdNodes += leaves.count
    return leaves
  }

  /// Returns the run between the remaining parts of the first and the last leaf; `nil` if it is
  /// empty. Leaves without a remaining part are not read.
  @inlinable
  func remainder(around run: Leaf?) throws -> Leaf? {
    var rest = run
    var firstLeaf: Leaf?
    if range.lowerBound > firstStart {
      let leaf = try session.resolve(first, height: 0).leaf
      let prefix = leaf.slice(0..<range.lowerBound - firstStart)
      rest = rest.map { prefix.joined(with: $0) } ?? prefix
      firstLeaf = leaf
    }
    if range.upperBound < lastStart + last.count {
      let leaf =
        if lastStart == firstStart, let firstLeaf { firstLeaf } else {
          try session.resolve(last, height: 0).leaf
        }
      let suffix = leaf.slice(range.upperBound - lastStart..<last.count)
      rest = rest.map { $0.joined(with: suffix) } ?? suffix
    }
    return rest
  }

  @inlinable
  mutating func group(
    _ children: Children<Leaf>, height: Int
  ) -> ContiguousArray<Child<Leaf>> {
    let nodes = shape.group(children, height: height, madeFrom: leftNode(height: height))
    edits.createdNodes += nodes.count
    return nodes
  }

  /// Returns the node of a level on the left path; `nil` above the root.
  @inlinable
  func leftNode(height: Int) -> NodeRef<Leaf>? {
    guard height < self.height else { return height == self.height ? root : nil }
    let step = left[self.height - height - 1]
    return step.node.children[step.index].ref
  }

  /// Creates the root above a level of the given nodes, which are too few for a node other than
  /// the root.
  @inlinable
  mutating func top(
    _ children: Children<Leaf>, height: Int
  ) -> (root: Child<Leaf>?, height: Int) {
    if children.count == 1 { return (children[0], height - 1) }
    return (group(children, height: height).first, height)
  }
}

// MARK: - Neighbours

extension Splice {
  @usableFromInline
  enum Side {
    case left
    case right
  }

  /// Returns the side on which the given level continues beyond the paths: a sibling in
  /// preference to a cousin, and the left one in preference to the right one.
  @inlinable
  func neighbour(height: Int) -> Side? {
    for depth in stride(from: self.height - height - 1, through: 0, by: -1) {
      if left[depth].index > 0 { return .left }
      if right[depth].index < right[depth].node.children.count - 1 { return .right }
    }
    return nil
  }

  /// Moves a path to the neighbour at the given level and returns it.
  ///
  /// Climbs to the first step from which the path can move to the side, moves it by one child,
  /// and descends along the near edge of that child.
  @inlinable
  mutating func takeNeighbour(_ side: Side, height level: Int) throws -> Node<Leaf> {
    var path = side == .left ? left : right
    var depth = height - level - 1
    while side == .left
      ? path[depth].index == 0 : path[depth].index == path[depth].node.children.count - 1
    {
      depth -= 1
    }
    path[depth].index += side == .left ? -1 : 1
    var child = path[depth].node.children[path[depth].index]
    var height = height - depth - 1
    while height > level {
      let node = try visit(child, height: height)
      depth += 1
      path[depth] = PathStep(node: node, index: side == .left ? node.children.count - 1 : 0)
      child = node.children[path[depth].index]
      height -= 1
    }
    if side == .left { left = path } else { right = path }
    return try visit(child, height: level)
  }

  @inlinable
  mutating func visit(_ child: Child<Leaf>, height: Int) throws -> Node<Leaf> {
    edits.replace(child.ref)
    return try session.resolve(child, height: height)
  }
}
