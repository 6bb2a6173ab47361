import SumTree
import Testing

/// How much work operations do, in nodes: exact numbers, because they do not
/// depend on the machine.
@Suite struct SumTreeWorkTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 4)

  /// 1,000 elements: 250 leaves, height 4.
  static func tree() throws -> NumberTree {
    try NumberTree.counting(to: 1000, shape: shape)
  }

  @Test func aSeekVisitsOneNodeALevel() throws {
    let tree = try Self.tree()
    #expect(tree.height == 4)
    for offset in stride(from: 0, to: 1000, by: 37) {
      let byOffset = TreeReader()
      _ = try tree.leaf(containing: offset, reader: byOffset)
      #expect(byOffset.nodesVisited == tree.height + 1)

      let byState = TreeReader()
      _ = try tree.firstLeaf(from: MaxSoFar(), where: { $0.value >= offset }, reader: byState)
      #expect(byState.nodesVisited == tree.height + 1)

      let byCursor = TreeReader()
      var cursor = Cursor(tree, at: MaxSoFar(), reader: byCursor)
      try cursor.seek { $0.value >= offset }
      #expect(byCursor.nodesVisited == tree.height + 1)
    }
  }

  @Test func aSeekPastTheEndVisitsNothing() throws {
    let tree = try Self.tree()
    let reader = TreeReader()
    #expect(try tree.firstLeaf(from: MaxSoFar(), where: { $0.value > 999 }, reader: reader) == nil)
    var cursor = Cursor(tree, at: MaxSoFar(), reader: reader)
    #expect(try !cursor.seek { $0.value > 999 })
    #expect(cursor.offset == 1000 && cursor.before.value == 999)
    #expect(reader.nodesVisited == 0)
  }

  @Test func aScanVisitsEachNodeOnce() throws {
    let tree = try Self.tree()
    var nodeCount = 0
    let memory = NodeMemory()
    try tree.stored(in: memory).forEachStoredNode(reader: TreeReader(memory)) { _, _ in
      nodeCount += 1
    }
    let reader = TreeReader()
    try tree.forEachLeaf(reader: reader) { _, _ in }
    #expect(reader.nodesVisited == nodeCount)
  }

  @Test func seekingTheCurrentOrNextLeafVisitsAtMostThatLeaf() throws {
    let tree = try Self.tree()
    let reader = TreeReader()
    var cursor = Cursor(tree, at: ElementOffset(), reader: reader)
    try cursor.seek { $0.count > 0 }
    let visited = reader.nodesVisited
    try cursor.seek { $0.count > 3 }
    #expect(cursor.offset == 0 && reader.nodesVisited == visited)
    try cursor.seek { $0.count > 4 }
    #expect(cursor.offset == 4 && reader.nodesVisited == visited + 1)
  }

  @Test func replacingOneElementMakesOneNodeALevel() throws {
    let tree = try Self.tree()
    for offset in stride(from: 0, to: 1000, by: 37) {
      var edited = tree
      let edits = try edited.replace(offset..<offset + 1, with: [-1])
      #expect(edits.createdNodes == tree.height + 1)
      #expect(edits.createdLeaves == offset / 4 * 4..<offset / 4 * 4 + 4)

      var updated = tree
      var updates = TreeEdits()
      try updated.updateLeaf(containing: offset, reader: TreeReader(), edits: &updates) {
        $0.numbers[offset - $1] = -1
      }
      #expect(updates.createdNodes == tree.height + 1)
      #expect(updated.summary == edited.summary)
    }
  }

  @Test func replacingOneElementOfAStoredTreeLoadsAndReplacesOnePath() throws {
    let memory = NodeMemory()
    let tree = try Self.tree().stored(in: memory)
    var edited = tree
    var edits = TreeEdits()
    let reader = TreeReader(memory)
    try edited.replaceSubrange(500..<501, with: NumberLeaf([7]), reader: reader, edits: &edits)
    #expect(reader.nodesLoaded == tree.height + 1)
    #expect(edits.obsolete.count == tree.height + 1)
    #expect(edits.dropped.isEmpty)
    #expect(try edited.store(into: memory).nodesWritten == tree.height + 1)
  }

  @Test func removingAlmostEverythingLoadsTwoPaths() throws {
    let memory = NodeMemory()
    var tree = try Self.tree().stored(in: memory)
    let height = tree.height
    let reader = TreeReader(memory)
    var edits = TreeEdits()
    try tree.replaceSubrange(2..<998, with: nil, reader: reader, edits: &edits)
    #expect(try tree.numbers(reader: reader) == [0, 1, 998, 999])
    #expect(reader.nodesLoaded == 2 * height + 1)
    #expect(edits.createdNodes == 1)
    #expect(tree.height == 0)
  }

  @Test func leavesThatAreReplacedEntirelyAreNotRead() throws {
    let memory = NodeMemory()
    var tree = try Self.tree().stored(in: memory)
    let reader = TreeReader(memory)
    var edits = TreeEdits()
    try tree.replaceSubrange(
      400..<404, with: NumberLeaf([1, 2, 3, 4]), reader: reader, edits: &edits)
    #expect(reader.nodesLoaded == tree.height)
    #expect(edits.obsolete.count == tree.height + 1)
  }

  @Test func aLoadedNodeIsLoadedOnceAndCounted() throws {
    let memory = NodeMemory()
    let tree = try Self.tree().stored(in: memory)
    let first = TreeReader(memory)
    _ = try tree.leaf(containing: 10, reader: first)
    #expect(first.nodesLoaded == tree.height + 1)
    #expect(first.bytesLoaded > 0)
    let second = TreeReader(memory)
    _ = try tree.leaf(containing: 10, reader: second)
    #expect(second.nodesVisited == tree.height + 1)
    #expect(second.nodesLoaded == 0 && second.bytesLoaded == 0)
    let third = TreeReader(memory)
    _ = try tree.unloaded().leaf(containing: 10, reader: third)
    #expect(third.nodesLoaded == tree.height + 1 && third.bytesLoaded == first.bytesLoaded)
  }

  @Test func aReaderThatKeepsNothingLeavesNothingInMemory() throws {
    let memory = NodeMemory()
    let tree = try Self.tree().stored(in: memory)
    let passing = TreeReader(memory, keepsNodes: false)
    #expect(try tree.numbers(reader: passing) == Array(0..<1000))
    let after = TreeReader(memory)
    _ = try tree.leaf(containing: 0, reader: after)
    #expect(after.nodesLoaded == tree.height + 1)
  }

  @Test(arguments: [TreeShape(leafCapacity: 8, fanOut: 8), TreeShape(leafCapacity: 64, fanOut: 32)])
  func heightStaysLogarithmicUnderPrepends(shape: TreeShape) throws {
    var tree = NumberTree(shape: shape)
    var edits = TreeEdits()
    let reader = TreeReader()
    for step in 0..<10_000 {
      let run = NumberLeaf([5 * step + 4, 5 * step + 3, 5 * step + 2, 5 * step + 1, 5 * step])
      try tree.replaceSubrange(0..<0, with: run, reader: reader, edits: &edits)
    }
    #expect(try tree.numbers(reader: reader) == (0..<50_000).reversed())
    try tree.checkInvariants(reader: reader)
    var leafCountMax = 1
    var heightMax = 0
    while leafCountMax * shape.elementsMin < 50_000 {
      leafCountMax *= shape.childrenMin
      heightMax += 1
    }
    #expect(tree.height <= heightMax)
  }
}
