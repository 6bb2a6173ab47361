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
