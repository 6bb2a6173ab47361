import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

/// Which result of a layout a query answers from, after its configuration has changed.
public enum Freshness: Hashable, Sendable {
  /// That of the present configuration: what has not been laid out is laid out first.
  /// While another thread of this process does that, the last result is answered from.
  case current
  /// The last result, until the changed configuration has been laid out by
  /// ``LayoutCache/prepare(layout:of:)`` or by a query for the current one.
  case last
}

extension LayoutCache {
  /// Runs `body` on a layout that is up to date with its dataset, laying it out
  /// first where it is not.
  ///
  /// `body` is run again, on a newer revision, where another process replaces the
  /// dataset while it is read; and after the layout has been laid out anew where
  /// its stored form turns out to be damaged, which is logged. It should compute
  /// an answer and do nothing else.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layout: The layout's name.
  ///   - freshness: What to do where the layout's configuration has changed.
  ///   - body: Computes the answer.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`,
  ///   `changedMeanwhile`, `database`; what `body` throws.
  public func read<R>(
    dataset: String, layout: String, freshness: Freshness = .current,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try call { first in
      var hasRepaired = false
      func repair(_ detail: String, in space: NodeSpace?) throws {
        // What is laid out anew and damaged still has damaged items below it.
        if hasRepaired {
          throw LayoutCacheError.damaged(layout: layout, of: dataset, detail)
        }
        hasRepaired = true
        try layOutAnew(layout: layout, of: dataset, damaged: detail, in: space)
      }
      for attempt in 0..<Self.attemptsMax {
        let generation = attempt == 0 ? first : store.foreignGeneration()
        let snapshot: LayoutSnapshot
        do {
          guard
            let current = try self.snapshot(
              of: layout, in: dataset, freshness: freshness, generation: generation)
          else {
            try prepare(layout: layout, of: dataset)
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

  /// The layout at its dataset's present revision, or `nil` where it must be prepared
  /// first.
  private func snapshot(
    of layout: String, in dataset: String, freshness: Freshness, generation: Int
  ) throws -> LayoutSnapshot? {
    guard let last = try lastSnapshot(of: layout, in: dataset, generation: generation)
    else { return nil }
    guard last.isOutdated, freshness == .current else { return last }
    return layoutsUnderWay.contains(layout, of: dataset) ? last : nil
  }

  /// The layout's result at its dataset's present revision, or `nil` where it must be
  /// prepared first.
  ///
  /// - Parameter generation: The store's, before anything is read.
  private func lastSnapshot(
    of layout: String, in dataset: String, generation: Int
  ) throws -> LayoutSnapshot? {
    if let snapshot = residents.snapshot(of: layout, in: dataset, generation: generation) {
      return snapshot
    }
    let known = residents.known(dataset)
    var state: DatasetState
    if let present = known.state, known.generation == generation,
      present.layout(named: layout) != nil
    {
      state = present
    } else {
      do {
        state = try store.read { reader in
          var state = try DatasetState.current(
            dataset, known: known.state, reader: reader, kinds: customKinds)
          _ = try state.bring(layout, mayBeBehind: false, reader: reader, kinds: customKinds)
          return state
        }
      } catch is DatasetState.Hindrance {
        return nil
      } catch let limit as LimitError {
        throw LayoutCacheError(.cannotLayOut(layout, dataset: dataset, limit))
      }
      residents.take(state, generation: generation, since: known)
    }
    guard let present = state.layout(named: layout) else { return nil }
    let snapshot = LayoutSnapshot(state, present, source: PooledNodes(store: store))
    residents.keep(snapshot)
    return snapshot
  }

  /// Whether the nodes of a snapshot should still be there: the file has the
  /// checkpoints that it has moved on from.
  private func isCurrent(_ snapshot: LayoutSnapshot) throws -> Bool {
    try store.read { reader in
      guard
        let dataset = try reader.dataset(named: snapshot.dataset),
        let layout = try reader.layout(named: snapshot.layout, of: dataset.id)
      else { return false }
      return snapshot.isBased(on: dataset, layout)
    }
  }

  private func layOutAnew(
    layout: String, of dataset: String, damaged detail: String, in space: NodeSpace?
  ) throws {
    warn(Self.isLaidOutAnew, layout: layout, of: dataset, detail)
    if let space {
      _ = try prepare(layout: layout, of: dataset, discardingSpace: space)
      return
    }
    try change(dataset) { writer, state in
      var row = try writer.reader.requireLayout(layout, of: state.row)
      if let result = row.result { try writer.deleteNodes(in: result.space) }
      row.result = nil
      state.layouts[row.id] = nil
      try writer.put(row)
    }
  }

  private func note(_ snapshot: LayoutSnapshot) {
    let loaded = snapshot.takeBytesLoaded()
    guard loaded > 0 else { return }
    residents.noteLoaded(bytes: loaded, budget: options.nodeCacheBytes)
  }
}

/// What an error says of stored nodes: which owner's are damaged or gone.
struct Damage {
  /// The owner's space; `nil` where the error names no node, which only a layout's
  /// own contradictions do.
  var space: NodeSpace?
  var detail: String

  /// - Returns: `nil` for an error that says nothing of the kind.
  init?(_ error: any Error) {
    switch error {
    case let error as DamagedLayout:
      detail = error.detail
    case is MisplacedOperation:
      detail = "a change names a place that it does not have"
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

  /// - Throws: ``LayoutCacheError`` with `closed`, also where all nodes are in memory.
  func requireOpen() throws {
    if store.isClosed { throw LayoutCacheError(.closed(path: store.path)) }
  }

  func withPayload<R>(of id: NodeID, _ body: (inout ByteReader) throws -> R) throws -> R {
    do {
      return try store.readWithoutTransaction { try $0.withPayload(of: id, body) }
    } catch let error as StoreError where error.code == .closed {
      // A snapshot that was kept is queried outside the calls that classify errors.
      throw LayoutCacheError(.closed(path: store.path))
    }
  }
}
