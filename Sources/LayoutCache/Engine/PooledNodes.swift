import LayoutStore
import SumTree

/// A source that reads each node separately through the store's readers. A node never changes
/// under its ID, so no common transaction is needed.
final class PooledNodes: NodeSource, Sendable {
  private let store: Store

  init(store: Store) { self.store = store }

  /// The database's file.
  var path: String { store.path }

  /// - Throws: ``LayoutCacheError`` with `closed`, even if all nodes are in memory.
  func requireOpen() throws {
    if store.isClosed { throw LayoutCacheError(.closed(path: store.path)) }
  }

  /// Runs `body` on one committed state of the file, at least as new as the nodes.
  func read<R>(_ body: (StoreReader) throws -> R) throws -> R { try store.read(body) }

  /// As ``read(_:)``, for long work.
  func readLong<R>(_ body: (StoreReader) throws -> R) throws -> R { try store.readLong(body) }

  func withPayload<R>(of id: NodeID, _ body: (inout ByteReader) throws -> R) throws -> R {
    do {
      return try store.readWithoutTransaction { try $0.withPayload(of: id, body) }
    } catch let error as StoreError where error.code == .closed {
      // A retained snapshot can be queried outside the calls that classify errors.
      throw LayoutCacheError(.closed(path: store.path))
    }
  }
}
