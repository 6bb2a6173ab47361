package import SumTree

/// The sink for an owner's new nodes, under ascending ids that are never reused. A stored node
/// never changes, so a snapshot reads the same node under the same id as long as it exists.
///
/// A node that is similar to the stored node it was made from is stored as a difference: from
/// that node, or from its base if it is a difference itself. The row of the *base* stays, and
/// belongs to the new node only.
package final class NodeWriter: NodeSink {
  private let writer: StoreWriter
  /// The reader, which sees the written nodes.
  package var reader: StoreReader { writer.reader }
  private let space: NodeSpace
  /// The number of the next node; stored in the owner's row.
  package private(set) var next: Int64
  private var isFree = false

  /// The bases of nodes written here. Of two nodes made from the same one, only the first is
  /// stored as a difference.
  private var bases: Set<NodeID> = []
  /// The bases of the differences that nodes written here were made from.
  private var basesOfOrigins: [NodeID: NodeID] = [:]

  /// The divisor of a node's size that limits its difference: a longer one grows with each
  /// checkpoint, and soon takes as much space as the node.
  private static let differenceShareMax = 2

  init(writer: StoreWriter, space: NodeSpace, next: Int64) {
    (self.writer, self.space, self.next) = (writer, space, next)
  }

  /// Stores a payload under a fresh id, in the writer's transaction.
  ///
  /// - Throws: ``StoreError`` with `corruptNode` if the number that is free according to the
  ///   owner's row is used, before anything is written, or if the space is full.
  package func write(_ payload: ByteWriter, madeFrom origin: NodeID?) throws -> NodeID {
    guard next < NodeSpace.numbers.upperBound else {
      throw StoreError(
        .corruptNode(
          space.id(number: NodeSpace.numbers.upperBound - 1), detail: "is the last of its space"),
        path: reader.path)
    }
    if !isFree {
      guard try writer.lastNumber(in: space) < next else {
        throw StoreError(
          .corruptNode(space.id(number: next), detail: "is marked as free but in use"),
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
  /// - Returns: `nil` if the node is better stored whole. That is also so if the other node is
  ///   damaged in the file, but was read before the damage.
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

  /// Returns the rows left by nodes that the owner's trees no longer use: their rows and those of
  /// their bases, except the bases of nodes written here.
  ///
  /// Call it after all nodes are written. The base of a damaged difference is not found, and its
  /// row stays.
  package func rows(leftBy nodes: [NodeID]) throws -> Set<NodeID> {
    var rows = Set(nodes)
    for node in nodes where NodeSpace.isDifference(node) {
      do {
        rows.insert(try basesOfOrigins[node] ?? reader.difference(node).base)
      } catch let error as StoreError where error.isOfNode {}
    }
    return rows.subtracting(bases)
  }

  /// Deletes rows that are no longer needed.
  package func delete(rows: Set<NodeID>) throws { try writer.deleteRows(rows) }
}

extension StoreError {
  /// Whether the error is just a missing or damaged node.
  fileprivate var isOfNode: Bool {
    switch code {
    case .missingNode, .corruptNode: true
    default: false
    }
  }
}

/// Fills a separate space with nodes in a series of short transactions, so that no writer waits
/// for long. The nodes are invisible until a row refers to them.
///
/// If the process ends early, or the nodes are not needed after all, other processes reclaim the
/// space. A filler whose space was reclaimed throws.
package final class SpaceFiller: NodeSink {
  package let space: NodeSpace
  /// The number of the next node; stored in the owner's row.
  package private(set) var next: Int64 = 1

  private let store: Store
  private let now: @Sendable () -> Int64
  private var pending: [(id: NodeID, blob: [UInt8])] = []
  private var pendingBytes = 0
  private var bytesSinceGap = 0

  /// The size of a transaction in bytes: one or two milliseconds of work, for which all commits
  /// wait.
  private static let transactionBytes = 256 << 10
  /// The bytes written between two pauses, which let polling writers of other processes take the
  /// lock.
  private static let gapBytes = 1 << 20

  /// Creates a filler with a new space.
  ///
  /// - Parameter now: Returns the time in milliseconds since 1970.
  package init(_ store: Store, now: @escaping @Sendable () -> Int64) throws {
    self.store = store
    self.now = now
    space = try store.write { try $0.beginSpace(at: now()) }
  }

  package func write(_ payload: ByteWriter, madeFrom origin: NodeID?) throws -> NodeID {
    let id = space.id(number: next)
    assert(NodeSpace(of: id) == space, "the id belongs to another space")
    assert(pending.last.map { $0.id.rawValue < id.rawValue } ?? true, "ids rise")
    let blob = Seal.seal(payload.bytes, identity: id.rawValue, hash: store.hash)
    pending.append((id, blob))
    pendingBytes += blob.count
    next += 1
    if pendingBytes >= Self.transactionBytes { try flush() }
    LongWork.giveWay()
    return id
  }

  /// Writes pending nodes, so that all nodes can be read.
  package func flush() throws {
    guard !pending.isEmpty else { return }
    try store.write { writer in
      guard try writer.touch(.nodes(space), at: now()) else {
        throw StoreError(
          .unexpected(detail: "space \(space.rawValue) was reclaimed while it was filled"),
          path: store.path)
      }
      for node in pending { try writer.insert(node.id, node.blob) }
    }
    pending.removeAll(keepingCapacity: true)
    bytesSinceGap += pendingBytes
    pendingBytes = 0
    guard bytesSinceGap >= Self.gapBytes else { return }
    bytesSinceGap = 0
    store.letOthersWrite()
  }
}
