package import SumTree

/// Fills its own space with nodes, in one short transaction after the other, so that
/// no writer waits for long. Nobody sees the nodes until a row names them.
///
/// Where the process ends in the meantime, or what the nodes were for comes to nothing, others
/// give the space back. A filler that hears of it too late throws.
package final class SpaceFiller: NodeSink {
  package let space: NodeSpace
  /// The number of the next node; stored in the owner's row.
  package private(set) var next: Int64 = 1

  private let store: Store
  private let now: @Sendable () -> Int64
  private var pending: [(id: NodeID, blob: [UInt8])] = []
  private var pendingBytes = 0
  private var bytesSinceGap = 0

  /// The bytes that one transaction writes: a millisecond's work or two, for which all who
  /// commit wait.
  private static let transactionBytes = 256 << 10
  /// What is written before writers of other processes, who look again now and then, are given
  /// time to.
  private static let gapBytes = 1 << 20

  /// Takes a fresh space.
  ///
  /// - Parameter now: The time in milliseconds since 1970.
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

  /// Writes what has not been written yet: then all nodes can be read.
  package func flush() throws {
    guard !pending.isEmpty else { return }
    try store.write { writer in
      guard try writer.touch(.nodes(space), at: now()) else {
        throw StoreError(
          .unexpected(detail: "space \(space.rawValue) was given back while it was filled"),
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
