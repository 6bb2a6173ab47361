import SumTree
import TestSupport
import Testing

@testable import LayoutStore

// Strategy: nodes of one space, some bytes each, derived from one another as edits do, and the
// rows in the database.

@Suite struct NodeWriterTests {
  private let directory: TemporaryDirectory
  private let store: Store
  private let space: NodeSpace

  init() throws {
    directory = try TemporaryDirectory()
    store = try Store(path: directory.path(of: "store.sqlite"), options: StoreOptions())
    space = try store.write { try $0.makeSpace() }
  }

  private func write(
    _ bytes: [UInt8], madeFrom origin: NodeID? = nil, _ sink: NodeWriter
  ) throws -> NodeID {
    var writer = ByteWriter()
    writer.writeBytes(bytes)
    return try sink.write(writer, madeFrom: origin)
  }

  /// Writes and deletes in a transaction; returns the next free number.
  private func write(next: Int64, _ body: (NodeWriter) throws -> Void) throws -> Int64 {
    try store.write { transaction in
      let sink = transaction.nodeSink(in: space, next: next)
      try body(sink)
      return sink.next
    }
  }

  private func bytes(of id: NodeID) throws -> [UInt8] {
    try store.read { reader in
      try reader.withPayload(of: id) { try $0.readBytes(count: $0.remaining) }
    }
  }

  private func rowCounts() throws -> (all: Int, bases: Int) {
    try store.read { (try $0.nodeBytes(in: space).count, try $0.baseCount(in: space)) }
  }

  private func code(of id: NodeID) -> StoreError.Code? {
    do {
      _ = try bytes(of: id)
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  private let page = (0..<200).map { UInt8($0) }

  /// The page with other bytes in some places.
  private func page(_ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = page
    for (index, byte) in changes { bytes[index] = byte }
    return bytes
  }

  @Test func successiveSmallChangesAreStoredAsDifferences() throws {
    var ids: [NodeID] = []
    var next = try write(next: 1) { ids.append(try write(page, $0)) }
    for byte in [UInt8(250), 251] {
      next = try write(next: next) { sink in
        let old = ids[ids.count - 1]
        ids.append(try write(page([100: byte]), madeFrom: old, sink))
        try sink.delete(rows: sink.rows(leftBy: [old]))
      }
      #expect(try bytes(of: ids[ids.count - 1]) == page([100: byte]))
      // The node and its base: chains do not grow.
      #expect(try rowCounts() == (2, 1))
    }
    #expect(ids.map(NodeSpace.isDifference) == [false, true, true])
    #expect(code(of: ids[1]) == .missingNode(ids[1]))
    // The original content again: an empty difference.
    next = try write(next: next) { sink in
      ids.append(try write(page, madeFrom: ids[2], sink))
      try sink.delete(rows: sink.rows(leftBy: [ids[2]]))
    }
    #expect(try bytes(of: ids[3]) == page)
    _ = try write(next: next) { try $0.delete(rows: $0.rows(leftBy: [ids[3]])) }
    #expect(try rowCounts() == (0, 0))
  }

  @Test func aLargeChangeIsStoredWholeAndItsBaseIsDeleted() throws {
    var ids: [NodeID] = []
    var next = try write(next: 1) { ids.append(try write(page, $0)) }
    let other = [UInt8](page.reversed())
    for bytes in [page([3: 0]), other] {
      next = try write(next: next) { sink in
        let old = ids[ids.count - 1]
        ids.append(try write(bytes, madeFrom: old, sink))
        try sink.delete(rows: sink.rows(leftBy: [old]))
      }
    }
    #expect(ids.map(NodeSpace.isDifference) == [false, true, false])
    #expect(try bytes(of: ids[2]) == other)
    #expect(try rowCounts() == (1, 0))
  }

  @Test func aBaseServesOnlyOneDifference() throws {
    var ids: [NodeID] = []
    let next = try write(next: 1) { ids.append(try write(page, $0)) }
    _ = try write(next: next) { sink in
      ids.append(try write(page([1: 0]), madeFrom: ids[0], sink))
      ids.append(try write(page([2: 0]), madeFrom: ids[0], sink))
      try sink.delete(rows: sink.rows(leftBy: [ids[0]]))
    }
    #expect(ids.map(NodeSpace.isDifference) == [false, true, false])
    #expect(try rowCounts() == (3, 1))
  }

  @Test func aNodeDerivedFromAnotherSpaceIsStoredWhole() throws {
    let other = try store.write { transaction in
      try write(page, transaction.nodeSink(in: try transaction.makeSpace(), next: 1))
    }
    _ = try write(next: 1) { sink in
      let id = try write(page, madeFrom: other, sink)
      #expect(!NodeSpace.isDifference(id))
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func randomEditsLeaveNoOrphanAndNoMissingRow(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var nodes: [NodeID: [UInt8]] = [:]
    var next: Int64 = 1
    var differences = 0
    for _ in PropertyRun.each(seed, steps: 30) {
      next = try write(next: next) { sink in
        var gone: [NodeID] = []
        var made: [NodeID: [UInt8]] = [:]
        for (id, bytes) in nodes.sorted(by: { $0.key < $1.key }) {
          let copies = [0, 1, 1, 1, 1, 2].randomElement(using: &random)!
          guard Bool.random(using: &random) || copies == 0 else { continue }
          gone.append(id)
          for _ in 0..<copies {
            var changed = bytes
            for _ in 0...Int.random(in: 0...(random.oneIn(5) ? 100 : 3), using: &random) {
              changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
            }
            made[try write(changed, madeFrom: id, sink)] = changed
          }
        }
        for _ in 0..<2 { made[try write(page, sink)] = page }
        try sink.delete(rows: sink.rows(leftBy: gone))
        for id in gone { nodes[id] = nil }
        nodes.merge(made) { _, new in new }
      }
      let isDifference = nodes.keys.count(where: NodeSpace.isDifference)
      differences += isDifference
      #expect(try rowCounts() == (nodes.count + isDifference, isDifference))
      for (id, bytes) in nodes { #expect(try self.bytes(of: id) == bytes) }
    }
    #expect(differences > 30)
  }
}

// MARK: - Damage

extension NodeWriterTests {
  /// A node and one that is a difference from it.
  private func pair() throws -> (base: NodeID, node: NodeID, next: Int64) {
    var ids: [NodeID] = []
    let next = try write(next: 1) { sink in
      ids.append(try write(page, sink))
      ids.append(try write(page([9: 0]), madeFrom: ids[0], sink))
    }
    return (ids[0], ids[1], next)
  }

  private func put(_ payload: [UInt8], at id: NodeID) throws {
    try store.write { transaction in
      try transaction.deleteRows([id])
      try transaction.insert(
        id, Seal.seal(payload, identity: id.rawValue, hash: transaction.reader.hash))
    }
  }

  @Test func damageOfADifferenceOrItsBaseNamesTheNode() throws {
    let (base, node, _) = try pair()
    var own = ByteWriter()
    own.writeVarint(base.rawValue)
    for bytes: [UInt8] in [[], [0], own.bytes + [201, 0, 0], own.bytes + [1, 0, 9, 9]] {
      try put(bytes, at: node)
      guard case .corruptNode(node, _) = code(of: node) else {
        Issue.record("\(bytes): \(String(describing: code(of: node)))")
        continue
      }
    }
    var itself = ByteWriter()
    itself.writeVarint(node.rawValue)
    try put(itself.bytes, at: node)
    guard case .corruptNode(node, _) = code(of: node) else { throw Unexpected() }
    try put(own.bytes, at: node)
    #expect(try bytes(of: node) == page)
    try store.write { try $0.deleteRows([base]) }
    #expect(code(of: node) == .missingNode(base))
  }

  @Test func aNodeDerivedFromADamagedOneIsStoredWhole() throws {
    let (base, node, next) = try pair()
    try store.write { try $0.deleteRows([base]) }
    var ids: [NodeID] = []
    let last = try write(next: next) { ids.append(try write(page, madeFrom: node, $0)) }
    try put([], at: node)
    _ = try write(next: last) { sink in
      ids.append(try write(page, madeFrom: node, sink))
      try sink.delete(rows: sink.rows(leftBy: [node]))
    }
    #expect(ids.map(NodeSpace.isDifference) == [false, false])
    #expect(try rowCounts() == (2, 0))
  }

  private struct Unexpected: Error {}
}
