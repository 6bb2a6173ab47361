package import SumTree

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
