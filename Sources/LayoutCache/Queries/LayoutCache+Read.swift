import CollectionLayout
import LayoutStore
import Logging
import SumTree
import Synchronization

extension LayoutCache {
  /// Runs `body` on a layout that is up to date with its dataset, laying it out
  /// first where it is not.
  ///
  /// `body` is run again, on a newer revision, where another process replaces the
  /// dataset while it is read; and after the layout has been laid out anew where
  /// its stored form turns out to be damaged, which is logged. It should compute
  /// an answer and do nothing else.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`,
  ///   `changedMeanwhile`, `database`; what `body` throws.
  public func read<R>(
    dataset: String, layout: String, _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try classified(path) {
      var hasRepaired = false
      func repair(_ detail: String, in space: NodeSpace?) throws {
        // What is laid out anew and damaged still has damaged items below it.
        if hasRepaired {
          throw LayoutCacheError.damaged(layout: layout, of: dataset, detail)
        }
        hasRepaired = true
        try layOutAnew(layout: layout, of: dataset, damaged: detail, in: space)
      }
      for _ in 0..<Self.attemptsMax {
        let snapshot: LayoutSnapshot
        do {
          guard let current = try snapshotIfPrepared(dataset: dataset, layout: layout) else {
            _ = try prepare(layout: layout, of: dataset, discardingSpace: nil)
            continue
          }
          snapshot = current
        } catch let error as DamagedLayout {
          try repair(error.detail, in: nil)
          continue
        }
        do {
          let result = try body(snapshot)
          note(snapshot)
          return result
        } catch {
          guard let damage = Damage(error) else { throw error }
          if try !isCurrent(snapshot) { continue }
          guard damage.space == nil || damage.space == snapshot.resultSpace else {
            throw error
          }
          try repair(damage.detail, in: snapshot.resultSpace)
        }
      }
      throw LayoutCacheError(.changedMeanwhile(dataset: dataset))
    }
  }

  private static let attemptsMax = 100

  /// The layout as it stands, or `nil` where it is behind its dataset.
  private func snapshotIfPrepared(dataset: String, layout: String) throws -> LayoutSnapshot? {
    let (dataset, layout) = try store.read { reader in
      let dataset = try reader.requireDataset(dataset)
      return (dataset, try reader.requireLayout(layout, of: dataset))
    }
    guard let result = layout.result, result.revision == dataset.revision else { return nil }
    let (trees, resident) = try residents.withLock { residents in
      let trees = try residents.trees(of: dataset) {
        try DatasetTrees(dataset, hash: store.hash, path: path)
      }
      let resident = try residents.layout(layout) {
        guard let results = try layout.results() else {
          preconditionFailure("a prepared layout has a result")
        }
        return Residents.Layout(
          row: layout, plan: try layout.plan(path: path),
          results: results)
      }
      return (trees, resident)
    }
    return LayoutSnapshot(
      dataset: dataset, layout: layout, resultSpace: result.space, trees: trees,
      plan: resident.plan, results: resident.results, source: PooledNodes(store: store))
  }

  /// Whether the nodes of a snapshot should still be there.
  private func isCurrent(_ snapshot: LayoutSnapshot) throws -> Bool {
    try store.read { reader in
      guard
        let dataset = try reader.dataset(named: snapshot.dataset),
        let layout = try reader.layout(named: snapshot.layout, of: dataset.id)
      else { return false }
      // A new revision may have replaced single nodes of the dataset's space.
      return dataset.space == snapshot.datasetSpace && dataset.revision == snapshot.revision
        && layout.result?.space == snapshot.resultSpace
    }
  }

  private func layOutAnew(
    layout: String, of dataset: String, damaged detail: String, in space: NodeSpace?
  ) throws {
    logger.warning(
      "A stored layout is damaged and is laid out anew.",
      metadata: [
        "dataset": .string(dataset), "layout": .string(layout), "damage": .string(detail),
      ])
    if let space {
      _ = try prepare(layout: layout, of: dataset, discardingSpace: space)
    } else {
      try store.write { writer in
        let dataset = try writer.reader.requireDataset(dataset)
        var row = try writer.reader.requireLayout(layout, of: dataset)
        if let result = row.result { try writer.deleteNodes(in: result.space) }
        row.result = nil
        try writer.put(row)
      }
    }
  }

  private func note(_ snapshot: LayoutSnapshot) {
    let loaded = snapshot.takeBytesLoaded()
    guard loaded > 0 else { return }
    residents.withLock { $0.noteLoaded(bytes: loaded, budget: options.nodeCacheBytes) }
  }
}

/// What an error says of stored nodes: which owner's are damaged or gone.
private struct Damage {
  /// The owner's space; `nil` where the error names no node, which only a layout's
  /// own contradictions do.
  var space: NodeSpace?
  var detail: String

  /// - Returns: `nil` for an error that says nothing of the kind.
  init?(_ error: any Error) {
    switch error {
    case let error as DamagedLayout:
      detail = error.detail
    case let error as TreeError:
      space = error.node.map(NodeSpace.init(of:))
      detail = error.description
    case let error as StoreError:
      switch error.code {
      case .missingNode(let id), .corruptNode(let id, _): space = NodeSpace(of: id)
      default: return nil
      }
      detail = error.description
    default:
      return nil
    }
  }
}

/// Reads nodes through the store's readers, each on its own: a node never changes
/// under its id, so no common transaction is needed.
final class PooledNodes: NodeSource, Sendable {
  private let store: Store

  init(store: Store) { self.store = store }

  func withPayload<R>(of id: NodeID, _ body: (inout ByteReader) throws -> R) throws -> R {
    try store.readWithoutTransaction { try $0.withPayload(of: id, body) }
  }
}
