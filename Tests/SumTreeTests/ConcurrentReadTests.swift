import SumTree
import Testing

/// Snapshots of one tree are read by many threads while nodes are still being
/// loaded. Run under the thread sanitizer to give this its full meaning.
@Suite struct ConcurrentReadTests {
  @Test func readersThatLoadTheSameNodesAgree() async throws {
    let memory = NodeMemory()
    let shape = TreeShape(leafCapacity: 4, fanOut: 3)
    let tree = try NumberTree.counting(to: 2_000, shape: shape).stored(in: memory)
    let source = FrozenMemory(payloads: memory.payloads)

    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<8 {
        group.addTask { try tree.numbers(in: TreeSession(source)) }
      }
      for try await numbers in group { #expect(numbers == Array(0..<2_000)) }
    }

    let after = TreeSession(source)
    try tree.checkInvariants(in: after)
    #expect(after.nodesVisited == memory.payloads.count)
    #expect(after.nodesLoaded == 0)
  }
}

/// Payloads that are immutable and may be read from any thread.
private final class FrozenMemory: NodeSource, Sendable {
  let payloads: [NodeID: [UInt8]]

  init(payloads: [NodeID: [UInt8]]) {
    self.payloads = payloads
  }

  func withPayload<Result>(
    of id: NodeID, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result {
    guard let payload = payloads[id] else { throw NodeMemory.MissingNode(id: id) }
    return try ByteReader.read(payload, body)
  }
}
