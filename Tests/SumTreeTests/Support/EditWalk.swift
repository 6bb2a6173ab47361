import TestSupport

@testable import SumTree

/// A tree and an array on the same random walk; see `SumTreePropertyTests`.
struct EditWalk {
  private(set) var tree: NumberTree
  private var numbers: [Int] = []
  private var random: SeededGenerator
  private let memory = NodeMemory()

  /// The edits since the tree was last stored.
  private var account = TreeEdits()
  private var snapshots: [(tree: NumberTree, numbers: [Int])] = []
  private var complaint: String?

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    tree = NumberTree(shape: TreeShape.tiny.randomElement(using: &random)!)
  }

  mutating func takeStep() throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0...13: try replace()
    case 14...15: try update()
    case 16...17: try store()
    case 18:
      if !tree.isDirty { tree = tree.unloaded() }
    default:
      if snapshots.count > 4 { snapshots.remove(at: Int.random(in: 0..<5, using: &random)) }
      snapshots.append((tree, numbers))
    }
  }

  /// Reads without leaving nodes in memory, so that edits meet unloaded trees.
  private var passingSession: TreeSession { TreeSession(memory, keepsNodes: false) }

  /// The first error after the last step, or nil.
  mutating func difference() throws -> String? {
    if let complaint { return complaint }
    let session = passingSession
    try tree.checkInvariants(in: session)
    guard tree.count == numbers.count else { return "count \(tree.count), not \(numbers.count)" }
    guard try tree.numbers(in: session) == numbers else { return "other numbers" }
    guard tree.summary == NumberLeaf(numbers).summary else { return "another summary" }
    for snapshot in snapshots
    where try snapshot.tree.numbers(in: session) != snapshot.numbers {
      return "a snapshot changed"
    }
    return nil
  }

  // MARK: - Steps

  private mutating func replace() throws {
    let range = randomRange()
    let run = randomRun()
    let context = "replacing \(range) of \(numbers.count) by \(run.count)"
    try edit(context) { tree, session in
      try tree.replaceSubrange(range, with: run.isEmpty ? nil : NumberLeaf(run), in: session)
    }
    numbers.replaceSubrange(range, with: run)
  }

  private mutating func update() throws {
    guard !numbers.isEmpty else { return }
    let index = Int.random(in: numbers.indices, using: &random)
    let number = Int.random(in: 0...999, using: &random)
    try edit("updating \(index)") { tree, session in
      var leaves: Range<Int>?
      try tree.updateLeaf(containing: index, in: session) { leaf, start in
        leaf.numbers[index - start] = number
        leaves = start..<start + leaf.count
      }
      return leaves
    }
    numbers[index] = number
  }

  /// Stores the tree; sometimes the transaction is rolled back.
  private mutating func store() throws {
    let payloads = memory.payloads
    memory.origins = []
    let stored = try tree.store(into: memory)
    if stored.nodesWritten != account.dirtyNodes {
      complaint = "wrote \(stored.nodesWritten) nodes, not \(account.dirtyNodes)"
    }
    // The origins of nodes have left the tree, but are still in the store.
    let obsolete = Set(account.obsolete)
    if !memory.origins.allSatisfy({ obsolete.contains($0) && payloads[$0] != nil }) {
      complaint = "made from \(memory.origins), of which \(obsolete) are obsolete"
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      memory.payloads = payloads
    } else {
      account = TreeEdits()
      stored.publish()
      if tree.isDirty || tree.storedRoot != stored.root { complaint = "dirty after publishing" }
    }
  }

  /// Makes an edit and compares its report with the actual changes.
  private mutating func edit(
    _ context: String, _ body: (inout NumberTree, TreeSession) throws -> Range<Int>?
  ) throws {
    // Keeps the old nodes alive, so that no new one has their address.
    let before = tree
    let session = TreeSession(memory)
    let createdLeaves = try body(&tree, session)
    let edits = session.edits
    account.append(edits)
    try withExtendedLifetime(before) {
      let nodesBefore = try Set(placedNodes(of: before).map(\.node))
      let nodesAfter = try placedNodes(of: tree)
      let created = nodesAfter.filter { !nodesBefore.contains($0.node) }
      if created.count != edits.createdNodes {
        complaint = "\(context): made \(created.count) nodes, reported \(edits.createdNodes)"
      }

      let gone = nodesBefore.subtracting(nodesAfter.map(\.node)).compactMap(\.id)
      var reported = edits.obsolete
      for subtree in edits.dropped {
        try subtree.forEachNode(in: passingSession) { id, _ in reported.append(id) }
      }
      if reported.sorted() != gone.sorted() {
        complaint = "\(context): \(gone.sorted()) left, reported \(reported.sorted())"
      }

      let leaves = created.filter { $0.height == 0 }
      let elements =
        leaves.isEmpty ? nil : leaves[0].range.lowerBound..<leaves.last!.range.upperBound
      if elements != createdLeaves
        || leaves.map(\.range.count).reduce(0, +) != elements?.count ?? 0
      {
        complaint =
          "\(context): leaves made at \(leaves.map(\.range)), "
          + "reported \(createdLeaves.map(String.init(describing:)) ?? "none")"
      }
    }
  }

  // MARK: - Parts

  /// A node's identity: its id, or its address while it has none.
  private enum NodeIdentity: Hashable {
    case stored(NodeID)
    case inMemory(ObjectIdentifier)

    var id: NodeID? { if case .stored(let id) = self { id } else { nil } }
  }

  private typealias PlacedNode = (node: NodeIdentity, height: Int, range: Range<Int>)

  /// All nodes in document order, with the elements they cover.
  private func placedNodes(of tree: NumberTree) throws -> [PlacedNode] {
    var nodes: [PlacedNode] = []
    let session = passingSession
    func visit(_ child: Child<NumberLeaf>, height: Int, start: Int) throws {
      let node =
        child.ref.id.map(NodeIdentity.stored) ?? .inMemory(ObjectIdentifier(child.ref.cell))
      nodes.append((node, height, start..<start + child.count))
      guard height > 0 else { return }
      var start = start
      for grandchild in try session.resolve(child, height: height).children {
        try visit(grandchild, height: height - 1, start: start)
        start += grandchild.count
      }
    }
    if let root = tree.root { try visit(root, height: tree.height, start: 0) }
    return nodes
  }

  private mutating func randomRange() -> Range<Int> {
    let start = Int.random(in: 0...numbers.count, using: &random)
    let room = numbers.count - start
    let length =
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: 0
      case 3...4: 1
      case 5...6: Int.random(in: 0...12, using: &random)
      default: Int.random(in: 0...room, using: &random)
      }
    return start..<start + min(length, room)
  }

  private mutating func randomRun() -> [Int] {
    let length =
      switch Int.random(in: 0..<16, using: &random) {
      case 0...3: 0
      case 4...9: 1
      case 10...14: Int.random(in: 0...20, using: &random)
      default: Int.random(in: 0...400, using: &random)
      }
    return (0..<length).map { _ in Int.random(in: 0...999, using: &random) }
  }
}
