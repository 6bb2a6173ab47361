import SumTree
import Testing

@Suite struct SumTreeStoreTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 4)

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
}
