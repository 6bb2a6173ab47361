import SumTree
import Testing

/// How much work operations do, in nodes: exact numbers, because they do not depend on the machine.
@Suite struct SumTreeWorkTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 4)

  /// 1,000 elements: 332 leaves of three and two of two, height 5.
  static func tree() throws -> NumberTree {
    try NumberTree.counting(to: 1000, shape: shape)
  }

  @Test func aSeekVisitsOneNodePerLevel() throws {
    let tree = try Self.tree()
    #expect(tree.height == 5)
    for offset in stride(from: 0, to: 1000, by: 37) {
      let byOffset = TreeSession()
      _ = try tree.leaf(containing: offset, in: byOffset)
      #expect(byOffset.nodesVisited == tree.height + 1)

      let byState = TreeSession()
      _ = try tree.firstLeaf(from: MaxSoFar(), where: { $0.value >= offset }, in: byState)
      #expect(byState.nodesVisited == tree.height + 1)

      let byFinger = TreeSession()
      var finger = ElementFinger(tree, from: MaxSoFar(), in: byFinger)
      #expect(try finger.seek { $0.value >= offset })
      #expect(byFinger.nodesVisited == tree.height + 1)
    }
  }

  @Test func passingThroughShortRangesLoadsEachNodeOnce() throws {
    let memory = NodeMemory()
    let tree = try Self.tree().stored(in: memory)
    let session = TreeSession(memory, keepsNodes: false)
    for offset in 0..<1000 {
      try tree.forEachLeaf(overlapping: offset..<(offset + 1), in: session) { leaf, start in
        #expect(leaf.numbers[offset - start] == offset)
      }
    }
    #expect(session.nodesLoaded == memory.payloads.count)
    // The tree retains none of these nodes.
    let second = TreeSession(memory)
    _ = try tree.leaf(containing: 500, in: second)
    #expect(second.nodesLoaded == tree.height + 1)
  }

  @Test func aSearchPassesOverRunsOfChildren() throws {
    let shape = TreeShape(leafCapacity: 4, fanOut: 64)
    // 64 leaves of three elements each, as they are built.
    let tree = try NumberTree.counting(to: 192, shape: shape)
    #expect(tree.height == 1)
    var steps = 0
    try tree.forEachLeaf(
      from: ElementOffset<NumberLeaf>(), in: TreeSession(),
      step: { _, _, end in
        steps += 1
        return end > 189 ? .enter : .skip
      },
      body: { leaf, _, start in
        #expect(start == 189 && leaf.numbers == [189, 190, 191])
        return true
      })
    // The root, its eight runs, and the children of the last one.
    #expect(steps == 1 + 8 + 8)
  }

  @Test func replacingOneElementCreatesOneNodePerLevel() throws {
    let tree = try Self.tree()
    for offset in stride(from: 0, to: 1000, by: 37) {
      var edited = tree
      let replacing = TreeSession()
      let leaves = try edited.replaceSubrange(
        offset..<offset + 1, with: NumberLeaf([-1]), in: replacing)
      #expect(replacing.edits.createdNodes == tree.height + 1)
      let (leaf, start) = try tree.leaf(containing: offset, in: TreeSession())
      #expect(leaves == start..<start + leaf.count)

      var updated = tree
      let updating = TreeSession()
      try updated.updateLeaf(containing: offset, in: updating) { $0.numbers[offset - $1] = -1 }
      #expect(updating.edits.createdNodes == tree.height + 1)
      #expect(updated.summary == edited.summary)
    }
  }

  @Test func updatingLeavesReplacesEachNodeOnceAndNoOthers() throws {
    let tree = try Self.tree()
    let nodeCount = try Self.tree().store(into: NodeMemory()).nodesWritten
    for (range, changed) in [(0..<1000, 0..<1000), (0..<1000, 0..<0), (3..<900, 500..<501)] {
      var updated = tree
      let updating = TreeSession()
      try updated.updateLeaves(overlapping: range, in: updating) { leaf, start, _ in
        let part = changed.clamped(to: start..<(start + leaf.count))
        for index in part { leaf.numbers[index - start] += 1 }
        return !part.isEmpty
      }
      let expected = changed.isEmpty ? 0 : changed.count == 1 ? tree.height + 1 : nodeCount
      #expect(updating.edits.createdNodes == expected)
      try updated.checkInvariants(in: TreeSession())
      #expect(
        try updated.numbers(in: TreeSession())
          == (0..<1000).map { changed.contains($0) ? $0 + 1 : $0 })
    }
  }

  @Test func updatingLeavesStopsWhenTheClosureSetsTheEndFlag() throws {
    let memory = NodeMemory()
    var tree = try Self.tree().stored(in: memory)
    let session = TreeSession(memory)
    var starts: [Int] = []
    try tree.updateLeaves(overlapping: 402..<1000, in: session) { leaf, start, isAtEnd in
      starts.append(start)
      isAtEnd = starts.count == 2
      leaf.numbers[0] = -1
      return true
    }
    #expect(starts == [402, 405])
    #expect(session.nodesLoaded <= tree.height + 2 + tree.height)
    #expect(session.edits.obsolete.count == session.edits.createdNodes)
    let numbers = try tree.numbers(in: session)
    #expect(numbers.indices.filter { numbers[$0] == -1 } == starts)
    // A throw leaves the tree as it is.
    struct Refusal: Error {}
    let createdNodes = session.edits.createdNodes
    #expect(throws: Refusal.self) {
      try tree.updateLeaves(overlapping: 0..<1000, in: session) { leaf, start, _ in
        if start > 0 { throw Refusal() }
        leaf.numbers[0] = -1
        return true
      }
    }
    #expect(try tree.numbers(in: session) == numbers)
    #expect(session.edits.createdNodes == createdNodes)
  }

  @Test func removingAlmostEverythingLoadsTwoPaths() throws {
    let memory = NodeMemory()
    var tree = try Self.tree().stored(in: memory)
    let height = tree.height
    let session = TreeSession(memory)
    try tree.replaceSubrange(2..<999, with: nil, in: session)
    #expect(try tree.numbers(in: session) == [0, 1, 999])
    #expect(session.nodesLoaded == 2 * height + 1)
    #expect(session.edits.createdNodes == 1)
    #expect(tree.height == 0)
  }

  @Test func leavesThatAreReplacedEntirelyAreNotRead() throws {
    let memory = NodeMemory()
    var tree = try Self.tree().stored(in: memory)
    let session = TreeSession(memory)
    try tree.replaceSubrange(399..<402, with: NumberLeaf([1, 2, 3]), in: session)
    #expect(session.nodesLoaded == tree.height)
    #expect(session.edits.obsolete.count == tree.height + 1)
  }

  @Test(arguments: [TreeShape(leafCapacity: 8, fanOut: 8), TreeShape(leafCapacity: 64, fanOut: 32)])
  func heightStaysLogarithmicUnderPrepends(shape: TreeShape) throws {
    var tree = NumberTree(shape: shape)
    let session = TreeSession()
    for step in 0..<10_000 {
      let run = NumberLeaf([5 * step + 4, 5 * step + 3, 5 * step + 2, 5 * step + 1, 5 * step])
      try tree.replaceSubrange(0..<0, with: run, in: session)
    }
    #expect(try tree.numbers(in: session) == (0..<50_000).reversed())
    try tree.checkInvariants(in: session)
    var leafCountMax = 1
    var heightMax = 0
    while leafCountMax * shape.elementsMin < 50_000 {
      leafCountMax *= shape.childrenMin
      heightMax += 1
    }
    #expect(tree.height <= heightMax)
  }
}
