import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

extension LayoutCache {
  /// Runs `body` on a layout that is up to date with its dataset, laying it out
  /// first where it is not.
  ///
  /// `body` is run again, on a newer revision, where another process replaces the
  /// dataset while it is read; and after the layout has been laid out again where
  /// its stored form turns out to be damaged, which is logged. It should compute
  /// an answer and do nothing else.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - freshness: What to do where the layout's configuration has changed.
  ///   - body: Computes the answer.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`,
  ///   `changedMeanwhile`, `database`; what `body` throws.
  public func read<R>(
    _ layout: LayoutID, freshness: Freshness = .current,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try read(layout, freshness: freshness, endingWithTask: false, body)
  }

  /// As the public one.
  ///
  /// - Parameter endsWithTask: Whether laying the layout out ends with `CancellationError`
  ///   where the task is cancelled that this is called in.
  func read<R>(
    _ layout: LayoutID, freshness: Freshness, endingWithTask endsWithTask: Bool,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try call { first in
      var hasRepaired = false
      for attempt in 0..<Budgets.readAttempts {
        let generation = attempt == 0 ? first : store.foreignGeneration()
        let current = try snapshot(of: layout, freshness: freshness, generation: generation)
        guard let snapshot = current else {
          try publish(layout, discardingSpace: nil, endsWithTask)
          continue
        }
        if endsWithTask { try Task.checkCancellation() }
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
          // What is laid out again and damaged still has damaged items below it.
          if hasRepaired {
            throw LayoutCacheError.damaged(layout, damage.detail)
          }
          hasRepaired = true
          logger.warn(.isLaidOutAnew, layout, damage.detail)
          try publish(layout, discardingSpace: snapshot.resultSpace, endsWithTask)
        }
      }
      throw LayoutCacheError(.changedMeanwhile(dataset: layout.dataset))
    }
  }

  /// Runs `body` on a layout if that takes no waiting: it is in memory at its dataset's
  /// present revision. What the query itself needs of the file is read, some pages at most.
  ///
  /// For threads that must not wait, such as a server's event loops.
  ///
  /// - Returns: `nil` where the layout is not in memory, or `body` has come upon nodes that
  ///   are gone or damaged: ``read(_:freshness:_:)`` sees to that.
  /// - Throws: ``LayoutCacheError``: `closed`, `database`; what `body` throws.
  package func readIfWarm<R>(
    _ layout: LayoutID, freshness: Freshness = .current,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R? {
    try call { generation in
      guard let last = snapshotInMemory(of: layout, generation: generation),
        let snapshot = answering(last, freshness: freshness)
      else { return nil }
      do {
        let result = try body(snapshot)
        note(snapshot)
        return result
      } catch {
        guard Damage(error) != nil else { throw error }
        return nil
      }
    }
  }

  /// Prepares a layout for a query: what nobody else sees is no answer.
  ///
  /// - Throws: ``LayoutCacheError`` of category `busy` where the file can't be written,
  ///   as where another process writes: the same query is answered as soon as somebody
  ///   has prepared the layout.
  func publish(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ endsWithTask: Bool
  ) throws {
    do {
      let watch = LayoutWatch(clock, isCancelled: { endsWithTask && Task.isCancelled })
      _ = try prepare(layout, discardingSpace: damaged, watch)
    } catch let error as LayoutCacheError where error.isReadOnly {
      throw LayoutCacheError(
        .database(.busy, message: "\(layout) must be prepared by who can write: \(error)"))
    }
  }

  /// The layout at its dataset's present revision, or `nil` where it must be prepared
  /// first.
  private func snapshot(
    of layout: LayoutID, freshness: Freshness, generation: Int
  ) throws -> LayoutSnapshot? {
    try lastSnapshot(of: layout, generation: generation)
      .flatMap { answering($0, freshness: freshness) }
  }

  /// A layout's last result, if a query is to be answered from it.
  private func answering(_ last: LayoutSnapshot, freshness: Freshness) -> LayoutSnapshot? {
    guard last.isOutdated, freshness == .current else { return last }
    return openDatasets.isUnderWay(last.layout) ? last : nil
  }

  /// The layout's result at its dataset's present revision, or `nil` where it must be
  /// prepared first.
  ///
  /// - Parameter generation: The store's, before anything is read.
  private func lastSnapshot(of layout: LayoutID, generation: Int) throws -> LayoutSnapshot? {
    if let known = snapshotInMemory(of: layout, generation: generation) { return known }
    let known = openDatasets.known(layout.dataset)
    let state: DatasetState? = try store.read { reader in
      var state = try current(layout.dataset, known: known.state, reader: reader)
      switch try state.bring(
        layout.layout, mayBeBehind: false, reader: reader, kinds: customKinds)
      {
      case .ready: return state
      case .isRefused(let error): throw error
      case .needsLayout, .isBehindCheckpoint, .isDamaged: return nil
      }
    }
    guard let state else { return nil }
    openDatasets.take(state, generation: generation, since: known)
    return snapshot(of: layout, in: state)
  }

  /// The layout's result at its dataset's present revision, if it is in memory.
  ///
  /// - Complexity: O(1), without reading the file.
  private func snapshotInMemory(of layout: LayoutID, generation: Int) -> LayoutSnapshot? {
    if let known = openDatasets.snapshot(of: layout, generation: generation) { return known }
    let known = openDatasets.known(layout.dataset)
    guard known.generation == generation, let state = known.state else { return nil }
    return snapshot(of: layout, in: state)
  }

  /// A layout of a state that has it in use; kept for the next query.
  func snapshot(of layout: LayoutID, in state: DatasetState) -> LayoutSnapshot? {
    guard let present = state.layout(named: layout.layout) else { return nil }
    let snapshot = LayoutSnapshot(state, present, source: PooledNodes(store: store))
    openDatasets.keep(snapshot)
    return snapshot
  }

  /// Whether the nodes of a snapshot should still be there: the file has the
  /// checkpoints that it has moved on from.
  private func isCurrent(_ snapshot: LayoutSnapshot) throws -> Bool {
    try store.read { reader in
      guard
        let dataset = try reader.dataset(named: snapshot.layout.dataset),
        let layout = try reader.layout(named: snapshot.layout.layout, of: dataset.id)
      else { return false }
      return snapshot.isBased(on: dataset, layout)
    }
  }

  private func note(_ snapshot: LayoutSnapshot) {
    let loaded = snapshot.takeBytesLoaded()
    guard loaded > 0 else { return }
    noteLoaded(bytes: loaded)
  }
}
