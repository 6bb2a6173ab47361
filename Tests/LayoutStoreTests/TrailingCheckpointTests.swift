import SumTree
import TestSupport
import Testing

@testable import LayoutStore

@Suite struct TrailingCheckpointTests {
  private let directory: TemporaryDirectory
  private let store: Store

  init() throws {
    directory = try TemporaryDirectory()
    store = try Store(path: directory.path(of: "store.sqlite"), options: StoreOptions())
  }

  private func write(_ count: Int, to sink: NodeWriter) throws -> [NodeID] {
    try (0..<count).map { number in
      var writer = ByteWriter()
      writer.writeBytes([UInt8(number)])
      return try sink.write(writer, madeFrom: nil)
    }
  }

  private func rows(_ writer: StoreWriter, _ space: NodeSpace) throws -> Int {
    try writer.reader.nodeBytes(in: space).count
  }

  @Test func rowsAreDeletedWithTheLastCheckpointThatNeedsThem() throws {
    try store.write { writer in
      let space = try writer.makeSpace()
      let sink = writer.nodeSink(in: space, next: 1)
      var chain: [TrailingCheckpoint] = []
      let first = try write(3, to: sink)
      chain.append(TrailingCheckpoint(revision: 1, nextNode: sink.next, root: [1]))
      let second = try write(3, to: sink)
      // Needed only by the first, and by none.
      try sink.retire([first[0], second[0]], trailing: &chain)
      #expect(chain.map(\.supersededCount) == [1])
      #expect(try rows(writer, space) == 5)
      chain.append(TrailingCheckpoint(revision: 4, nextNode: sink.next, root: [2]))
      let third = try write(2, to: sink)
      // Needed by both, by the second, and by none.
      try sink.retire([first[1], second[1], third[0]], trailing: &chain)
      #expect(chain.map(\.supersededCount) == [1, 2])
      #expect(try rows(writer, space) == 6)
      #expect(chain[1].isSuperseded(first[1]) && !chain[1].isSuperseded(first[2]))
      let read = try [TrailingCheckpoint](encoded: chain.encoded(in: space), in: space, before: 5)
      #expect(read == chain)
      try writer.release(at: 0, of: &chain)
      #expect(try rows(writer, space) == 5)
      try writer.release(at: 0, of: &chain)
      // The rows of the present trees.
      #expect(try rows(writer, space) == 3)
      try sink.retire([first[2]], trailing: &chain)
      #expect(try rows(writer, space) == 2)
    }
  }

  @Test func aReleasedCheckpointLeavesNeededRowsToThePreviousOne() throws {
    try store.write { writer in
      let space = try writer.makeSpace()
      let sink = writer.nodeSink(in: space, next: 1)
      var chain: [TrailingCheckpoint] = []
      let first = try write(3, to: sink)
      chain.append(TrailingCheckpoint(revision: 1, nextNode: sink.next, root: []))
      let second = try write(3, to: sink)
      chain.append(TrailingCheckpoint(revision: 2, nextNode: sink.next, root: []))
      try sink.retire([first[0], second[0], second[1]], trailing: &chain)
      chain.append(TrailingCheckpoint(revision: 3, nextNode: sink.next, root: []))
      try writer.release(at: 1, of: &chain)
      #expect(chain.map(\.revision) == [1, 3])
      #expect(chain.map(\.supersededCount) == [1, 0])
      #expect(chain[0].isSuperseded(first[0]))
      #expect(try rows(writer, space) == 4)
      try writer.release(&chain)
      #expect(try rows(writer, space) == 3)
    }
  }

  @Test(arguments: PropertyRun.seeds)
  func invalidChainEncodingsAreRejected(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let space = NodeSpace(rawValue: 3)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
        UInt8.random(in: generator.oneIn(2) ? 0...3 : 0...255, using: &generator)
      }
      guard let chain = try? [TrailingCheckpoint](encoded: bytes, in: space, before: 9) else {
        continue
      }
      #expect(chain.allSatisfy { $0.revision < 9 }, "seed \(seed)")
      #expect(chain.map(\.revision) == Set(chain.map(\.revision)).sorted(), "seed \(seed)")
    }
    let chain = [4, 2].map { TrailingCheckpoint(revision: $0, nextNode: 1, root: []) }
    #expect(throws: (any Error).self) {
      try [TrailingCheckpoint](encoded: chain.encoded(in: space), in: space, before: 9)
    }
    #expect(throws: (any Error).self) {
      try [TrailingCheckpoint](encoded: [chain[0]].encoded(in: space), in: space, before: 4)
    }
  }
}
