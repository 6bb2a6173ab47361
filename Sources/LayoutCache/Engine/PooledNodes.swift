import LayoutStore
import SumTree

/// Reads nodes through the store's readers, each on its own: a node never changes
/// under its id, so no common transaction is needed.
final class PooledNodes: NodeSource, Sendable {
  private let store: Store

  init(store: Store) { self.store = store }

  /// The database's file.
  var path: String { store.path }

  /// - Throws: ``LayoutCacheError`` with `closed`, also where all nodes are in memory.
  func requireOpen() throws {
    if store.isClosed { throw LayoutCacheError(.closed(path: store.path)) }
  }

  /// Runs `body` on one committed state of the file, no older than what the nodes are of.
  func read<R>(_ body: (StoreReader) throws -> R) throws -> R { try store.read(body) }

  func withPayload<R>(of id: NodeID, _ body: (inout ByteReader) throws -> R) throws -> R {
    do {
      return try store.readWithoutTransaction { try $0.withPayload(of: id, body) }
    } catch let error as StoreError where error.code == .closed {
      // A snapshot that was kept is queried outside the calls that classify errors.
      throw LayoutCacheError(.closed(path: store.path))
    }
  }
}
