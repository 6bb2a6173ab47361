import TestSupport
import Testing

@testable import SumTree

/// Malformed stored nodes are rejected with an error.
@Suite struct HostileNodeTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 4)

  @Test(.property, arguments: PropertyRun.seeds)
  func damagedPayloadsThrowOrReadButNeverTrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 100, shape: Self.shape).stored(in: memory)
    let intact = memory.payloads
    for _ in 0..<400 {
      let id = intact.keys.sorted().randomElement(using: &random)!
      var payload = intact[id]!
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        payload[Int.random(in: payload.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      memory.payloads[id] = payload
      let outcome = Result { try Self.readEverything(of: tree, in: memory) }
      if case .failure(let error) = outcome {
        #expect(error is TreeError || error is NodeMemory.MissingNode, "\(error)")
      } else {
        // A payload that is accepted has at least the right number of elements.
        #expect(try outcome.get() == 100)
      }
      memory.payloads[id] = intact[id]
    }
  }

  @Test func aNodeWithAWrongSummaryIsRejected() throws {
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 100, shape: Self.shape).stored(in: memory)
    for (id, payload) in memory.payloads where id != tree.storedRoot?.id {
      // The last byte is of a number, or of a child's summary.
      var changed = payload
      changed[payload.count - 1] ^= 1
      memory.payloads[id] = changed
      #expect(throws: TreeError.self) { try Self.readEverything(of: tree, in: memory) }
      memory.payloads[id] = payload
    }
  }

  @Test func aRootOfImpossibleHeightIsRejected() {
    func root(height: UInt8) -> [UInt8] { [5, height, 2] + [UInt8](repeating: 0, count: 8) }
    func isRefused(_ bytes: [UInt8]) -> Bool {
      (try? ByteReader.read(bytes) { try StoredRoot<NumberSummary>(from: &$0) }) == nil
    }
    #expect(!isRefused(root(height: 63)))
    #expect(isRefused(root(height: 64)))
  }

  @Test func nodesReferOnlyToNodesOfTheSameOwner() {
    func id(_ number: UInt8) throws -> NodeID {
      try ByteReader.read([number], nodeIDs: 5...9) { try $0.readNodeID() }
    }
    #expect(throws: ByteError.self) { try id(4) }
    #expect(throws: Never.self) { try id(5) }
    #expect(throws: Never.self) { try id(9) }
    #expect(throws: ByteError.self) { try id(10) }
  }

  /// Reads the whole tree afresh and returns the number of elements.
  private static func readEverything(of tree: NumberTree, in memory: NodeMemory) throws -> Int {
    try tree.numbers(in: TreeSession(memory, keepsNodes: false)).count
  }
}
