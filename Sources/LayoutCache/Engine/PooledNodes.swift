import LayoutStore
import SumTree

/// Reads nodes through the store's readers, each on its own: a node never changes
/// under its id, so no common transaction is needed.
final class PooledNodes: NodeSource, Sendable {
  private let store: Store

  init(store: Store) { self.store = store }

  func withPayload<R>(of id: NodeID, _ body: (inout ByteReader) throws -> R) throws -> R {
    try store.readWithoutTransaction { try $0.withPayload(of: id, body) }
  }
}
