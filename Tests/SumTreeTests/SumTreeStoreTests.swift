import SumTree
import Testing

@Suite struct SumTreeStoreTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 4)

  @Test func anEmptyTreeIsCleanAndHasNoRoot() throws {
    let tree = NumberTree(shape: Self.shape)
    #expect(!tree.isDirty && tree.storedRoot == nil && tree.isEmpty)
    let stored = try tree.store(into: NodeMemory())
    #expect(stored.root == nil && stored.nodesWritten == 0)
    #expect(NumberTree(shape: Self.shape, storedRoot: nil).isEmpty)
    #expect(tree.summary == .identity)
  }

  @Test func aTreeStaysDirtyUntilItsNodesArePublished() throws {
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 100, shape: Self.shape)
    let rolledBack = try tree.store(into: memory)
    #expect(tree.isDirty && tree.storedRoot == nil)
    let committed = try tree.store(into: memory)
    #expect(committed.nodesWritten == rolledBack.nodesWritten)
    committed.publish()
    #expect(!tree.isDirty && tree.storedRoot == committed.root)
    #expect(try tree.store(into: memory).nodesWritten == 0)
  }

  @Test func aFailedStoreLeavesTheTreeDirtyAndComplete() throws {
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 100, shape: Self.shape)
    memory.writesUntilFailure = 10
    #expect(throws: NodeMemory.WriteFailure.self) { try tree.store(into: memory) }
    #expect(tree.isDirty)
    memory.writesUntilFailure = .max
    #expect(try tree.stored(in: memory).numbers(in: TreeSession(memory)) == Array(0..<100))
  }

  @Test func anUnloadedTreeKeepsItsDirtyNodesOnly() throws {
    let memory = NodeMemory()
    var tree = try NumberTree.counting(to: 200, shape: Self.shape).stored(in: memory)
    let session = TreeSession(memory)
    try tree.replaceSubrange(100..<101, with: NumberLeaf([-1]), in: session)
    let numbers = try tree.numbers(in: session)
    var dirtyLeaves = 0
    tree.forEachDirtyLeaf { leaf in
      dirtyLeaves += 1
      #expect(leaf.numbers.contains(-1))
    }
    #expect(dirtyLeaves == 1)

    let unloaded = tree.unloaded()
    #expect(unloaded.isDirty)
    let fresh = TreeSession(memory)
    #expect(try unloaded.numbers(in: fresh) == numbers)
    #expect(fresh.nodesLoaded == fresh.nodesVisited - session.edits.createdNodes)
    // It can be stored like the tree that it came from.
    #expect(try unloaded.store(into: memory).nodesWritten == session.edits.createdNodes)
  }

  @Test func aRootRoundTripsThroughItsBytes() throws {
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 100, shape: Self.shape).stored(in: memory)
    var writer = ByteWriter()
    tree.storedRoot?.encode(into: &writer)
    let root = try ByteReader.read(writer.bytes) { reader in
      let root = try StoredRoot<NumberSummary>(from: &reader)
      try reader.expectEnd()
      return root
    }
    #expect(root == tree.storedRoot)
    let reopened = NumberTree(shape: Self.shape, storedRoot: root)
    #expect(try reopened.numbers(in: TreeSession(memory)) == Array(0..<100))
    for length in 0..<writer.count {
      #expect(throws: ByteError.self) {
        try ByteReader.read(Array(writer.bytes[..<length])) {
          _ = try StoredRoot<NumberSummary>(from: &$0)
        }
      }
    }
  }

  @Test func versionsThatShareNodesShareTheirIDs() throws {
    let memory = NodeMemory()
    let first = try NumberTree.counting(to: 100, shape: Self.shape)
    var second = first
    try second.replace(50..<51, with: [7])
    try first.store(into: memory).publish()
    #expect(second.isDirty)
    #expect(try second.store(into: memory).nodesWritten == second.height + 1)
  }

  @Test func aFailedEditChangesNothing() throws {
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 200, shape: Self.shape).stored(in: memory)
    var failures = 0
    for id in memory.payloads.keys.sorted() {
      let payload = memory.payloads.removeValue(forKey: id)
      var edited = tree.unloaded()
      let session = TreeSession(memory)
      do {
        try edited.replaceSubrange(90..<103, with: NumberLeaf([1]), in: session)
        #expect(edited.count == 188)
      } catch let error as NodeMemory.MissingNode {
        failures += 1
        #expect(error.id == id)
        #expect(session.edits == TreeEdits())
        #expect(edited.storedRoot == tree.storedRoot)
      }
      memory.payloads[id] = payload
    }
    #expect(failures > tree.height)
  }

  @Test func aNodeThatIsNotInMemoryNeedsASource() throws {
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 100, shape: Self.shape).stored(in: memory)
    #expect(throws: TreeError(.noSource, node: tree.storedRoot?.id)) {
      try tree.leaf(containing: 0, in: TreeSession())
    }
  }
}
