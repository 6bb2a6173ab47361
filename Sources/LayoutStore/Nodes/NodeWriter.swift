package import SumTree

/// Where an owner's new nodes go, under ids that rise and are never used again:
/// a stored node never changes, so a snapshot reads the same under the same id
/// for as long as it is there.
///
/// A node that has much in common with the stored one that it was made from is stored as
/// its difference from that, or from what that is a difference from itself: the row of the
/// *base* stays, and belongs to the new node alone.
package final class NodeWriter: NodeSink {
  private let writer: StoreWriter
  /// Reads what has been written.
  package var reader: StoreReader { writer.reader }
  private let space: NodeSpace
  /// The number of the next node; stored in the owner's row.
  package private(set) var next: Int64
  private var isFree = false

  /// The bases of nodes written here. Of two nodes made from one only the first is a
  /// difference.
  private var bases: Set<NodeID> = []
  /// The bases of differences that nodes written here were made from.
  private var basesOfOrigins: [NodeID: NodeID] = [:]

  /// A difference is stored where it takes at most this part of the node's bytes: one that is
  /// longer grows with each checkpoint, and soon takes as much as the node.
  private static let differenceShareMax = 2

  init(writer: StoreWriter, space: NodeSpace, next: Int64) {
    self.writer = writer
    self.space = space
    self.next = next
  }

  /// Stores a payload under a fresh id, in the writer's transaction.
  ///
  /// - Throws: ``StoreError`` with `corruptNode` where the number that the owner's row
  ///   says is free is not, before anything is written, and where the space is full.
  package func write(_ payload: ByteWriter, madeFrom origin: NodeID?) throws -> NodeID {
    guard next < NodeSpace.numbers.upperBound else {
      throw StoreError(
        .corruptNode(space.id(number: NodeSpace.numbers.upperBound - 1), detail: "is the last"),
        path: reader.path)
    }
    if !isFree {
      guard try writer.lastNumber(in: space) < next else {
        throw StoreError(
          .corruptNode(space.id(number: next), detail: "is said to be free, and is not"),
          path: reader.path)
      }
      isFree = true
    }
    let difference = try origin.flatMap { try self.difference(of: payload.bytes, from: $0) }
    let id = space.id(number: next, isDifference: difference != nil)
    assert(
      NodeSpace(of: id) == space && NodeSpace.number(of: id) == next,
      "numbers rise, whether a node is whole or a difference")
    if let difference { bases.insert(difference.base) }
    try writer.insert(
      id,
      Seal.seal(
        difference?.encoded ?? payload.bytes, identity: id.rawValue, hash: reader.hash))
    next += 1
    return id
  }

  /// Compares a payload with the node that it was made from.
  ///
  /// - Returns: `nil` where it is better stored whole. So it is where the other node is
  ///   damaged in the file, and was read before it was.
  private func difference(
    of payload: [UInt8], from origin: NodeID
  ) throws -> NodeDifference? {
    guard NodeSpace(of: origin) == space else { return nil }
    do {
      let base = try base(of: origin)
      guard !bases.contains(base) else { return nil }
      return try reader.withRow(of: base) { basePayload in
        payload.withUnsafeBytes {
          NodeDifference(
            of: $0, from: basePayload, base, bytesMax: payload.count / Self.differenceShareMax)
        }
      }
    } catch let error as StoreError where error.isOfNode {
      return nil
    }
  }

  private func base(of origin: NodeID) throws -> NodeID {
    guard NodeSpace.isDifference(origin) else { return origin }
    let base = try reader.difference(origin).base
    basesOfOrigins[origin] = base
    return base
  }

  /// What is left of nodes that the owner's trees do not have any more: their rows and those
  /// of their bases, but for the bases of nodes written here.
  ///
  /// Called once all is written. The base of a difference that is damaged stays behind.
  package func rows(leftBy nodes: [NodeID]) throws -> Set<NodeID> {
    var rows = Set(nodes)
    for node in nodes where NodeSpace.isDifference(node) {
      do {
        rows.insert(try basesOfOrigins[node] ?? reader.difference(node).base)
      } catch let error as StoreError where error.isOfNode {}
    }
    return rows.subtracting(bases)
  }

  /// Deletes rows that nobody needs any more.
  package func delete(rows: Set<NodeID>) throws { try writer.deleteRows(rows) }
}

extension StoreError {
  /// Whether a node is missing or damaged, and no more than that is wrong.
  fileprivate var isOfNode: Bool {
    switch code {
    case .missingNode, .corruptNode: true
    default: false
    }
  }
}
