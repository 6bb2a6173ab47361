public import CollectionLayout
import LayoutStore
import Logging
import SumTree
import Synchronization

/// The result of bringing a layout up to date with its dataset.
public struct Preparation: Hashable, Sendable {
  /// The dataset's revision.
  public var revision: Int
  /// The changes of the layout; `nil` if it was up to date.
  public var context: InvalidationContext?
}

extension LayoutCache {
  /// Brings a layout up to date with its dataset, and stores the result.
  ///
  /// A layout that has been prepared before catches up with the changes committed since, in their
  /// order. A new layout, or one that lags too far, is laid out from scratch: with a stable
  /// waterfall, one that lags by more operations than 10,000 and than half its items; otherwise,
  /// one that lags by more than 10,000 and than a thousandth of its items. After a configuration
  /// change, only sections whose options differ are laid out.
  ///
  /// Other writers do not wait: the result is written in short transactions into an unpublished
  /// space, and published in one transaction. A layout that is up to date causes no writes.
  /// Other threads that request the layout wait, unless it has a result of a previous
  /// configuration to answer from.
  ///
  /// The name of a responsive layout means all its variants, one with a width that variant.
  ///
  /// - Returns: The dataset's revision, and the context of all changes that the layout has
  ///   caught up with; for several variants, `everything` if one of them has changed.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `variant`, `cannotLayOut` if the
  ///   content would exceed its maximum length, `concurrentModification` if other callers
  ///   repeatedly lay the layout out, `database`.
  /// - Complexity: O(log items) nodes for each operation to catch up with; from
  ///   scratch O(items), in constant memory.
  @discardableResult
  public func prepare(_ layout: LayoutID) throws -> Preparation {
    try prepareAll(of: layout) { ProgressReporter(clock) }
  }

  /// Prepares a layout, or each variant of a responsive layout.
  func prepareAll(
    of layout: LayoutID, _ watch: () -> ProgressReporter
  ) throws -> Preparation {
    var preparation: Preparation?
    for layout in try layout.mayBeVariant ? [layout] : layoutsWithResult(of: layout) {
      let next = try onVariant(layout, for: .preparation) {
        try prepare($0.layout, discardingSpace: nil, watch())
      }
      // Contexts of different widths cannot be combined.
      let context = preparation == nil ? next.context : .everything(.tooLarge)
      preparation = Preparation(
        revision: next.revision, context: next.context == nil ? preparation?.context : context)
    }
    return try preparation
      ?? Preparation(revision: dataset(layout.dataset).revision, context: nil)
  }

  /// As ``prepare(_:)``, with progress reports.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - report: Called on this thread while the layout is laid out from scratch: at most about
  ///     20 times a second, and once at the end. Reported values never decrease. Catching up
  ///     with the log reports nothing. A call in it that needs the layout throws `inUse`.
  /// - Throws: As ``prepare(_:)``.
  @discardableResult
  public func prepare(
    _ layout: LayoutID, reporting report: @escaping (LayoutProgress) -> Void
  ) throws -> Preparation {
    try prepareAll(of: layout) { ProgressReporter(clock, report: report) }
  }

  /// As ``prepare(_:)``, but lays out again the layout whose result is in a damaged space.
  ///
  /// - Parameter watch: Reports the placed items and decides whether to continue; if it throws,
  ///   nothing is published and the new space is released.
  func prepare(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ watch: ProgressReporter
  ) throws -> Preparation {
    guard layout.mayBeVariant else {
      return try prepareInTurn(layout, discardingSpace: damaged, watch)
    }
    do {
      let preparation = try prepareInTurn(layout, discardingSpace: damaged, watch)
      didLayOut(layout)
      return preparation
    } catch {
      didFailToLayOut(layout)
      throw error
    }
  }

  private func prepareInTurn(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ watch: ProgressReporter
  ) throws -> Preparation {
    guard let coordinator = joined.withLock({ $0.coordinator }) else {
      return try prepareHere(layout, discardingSpace: damaged, watch)
    }
    var isRebuilt = false
    for _ in 0..<Budgets.readAttempts {
      do {
        return try prepareHere(layout, discardingSpace: damaged, watch)
      } catch ReplicationError.historyNotRecorded {
        _ = try coordinator.commit(ChangeRequest(.pin(layout.layout)), to: layout.dataset)
      } catch ReplicationError.historyDiverged where !isRebuilt {
        try coordinator.rebuild(layout.dataset)
        isRebuilt = true
      } catch ReplicationError.historyDiverged {
        // No node can lay it out where the log says: it was refused there, or has no result to
        // continue from. All nodes lay it out again.
        let pin = try store.read { reader in
          let row = try reader.requireLayout(
            layout.layout, of: reader.requireDataset(layout.dataset))
          return try reader.pin(of: row.id)
        }
        let request = ChangeRequest(.pin(layout.layout, replacing: pin?.incarnation.rawValue))
        _ = try coordinator.commit(request, to: layout.dataset)
      }
    }
    throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
  }

  /// As ``prepare(_:discardingSpace:_:)``, without asking a shared log.
  ///
  /// - Throws: In addition, for a dataset that follows a shared log: ``ReplicationError`` with
  ///   `historyNotRecorded` if the log does not contain the layout's start revision,
  ///   `historyDiverged` if the dataset is already beyond that revision.
  func prepareHere(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ watch: ProgressReporter
  ) throws -> Preparation {
    try call { _ in
      try openDatasets.layingOut(layout, path: path) {
        for _ in 0..<Budgets.readAttempts {
          try watch.requireGoOn()
          let (revision, work) = try prepared(layout, discardingSpace: damaged, watch)
          guard var prepared = work else { return Preparation(revision: revision, context: nil) }
          if let preparation = try publish(&prepared, as: layout, watch) { return preparation }
        }
        throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
      }
    }
  }

  /// Brings a layout up to date with the dataset's stored state, without publishing it.
  ///
  /// A long layout reads its nodes one by one, without a transaction. If a checkpoint deletes one
  /// of them, the layout starts again from a copy of the nodes in a temporary file.
  ///
  /// - Returns: The dataset's revision; and the layout, or `nil` if it is up to date.
  private func prepared(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ watch: ProgressReporter
  ) throws -> (revision: Int, work: PreparedLayout?) {
    var (damaged, usesCopy) = (damaged, false)
    while true {
      let (revision, step, nodes) = try reading(layout.dataset, isLong: true) { state, reader in
        let step = try preparer(reader).prepare(layout.layout, of: &state, discardingSpace: damaged)
        var nodes: any NodeSource = PooledNodes(store: store)
        if usesCopy, case .fill(let fill) = step { nodes = try fill.copiedNodes(reader) }
        return (state.revision, step, nodes)
      }
      switch step {
      case .upToDate: return (revision, nil)
      case .prepared(let prepared): return (revision, prepared)
      case .fill(let fill):
        do {
          return (revision, try fill.fill(from: nodes, in: store, clock, watch))
        } catch is CancellationError {
          // Releases the abandoned space; if that fails, the next `reclaim` does it.
          try? reclaim()
          throw CancellationError()
        } catch {
          guard let damage = Damage(error) else { throw error }
          let isCurrent = try store.read { try fill.isCurrent($0) }
          if !isCurrent, !usesCopy {
            usesCopy = true
          } else if isCurrent, let space = fill.earlier?.row.result?.space, space != damaged,
            damage.space != fill.state.row.space
          {
            logger.warn(.isLaidOutAgain, layout, damage.detail)
            damaged = space
          } else {
            throw error
          }
        }
      }
    }
  }

  func preparer(_ reader: StoreReader) -> LayoutPreparer {
    LayoutPreparer(reader: reader, kinds: customKinds, random: store.options.random) { [logger] in
      logger.warn(.isLaidOutAgain, $0, $1)
    }
  }

  /// Publishes a layout.
  ///
  /// - Returns: `nil` if the layout must be prepared again.
  private func publish(
    _ prepared: inout PreparedLayout, as layout: LayoutID, _ watch: ProgressReporter
  ) throws -> Preparation? {
    do {
      while true {
        try watch.requireGoOn()
        let (publication, revision) = try change(layout.dataset) { change in
          (try change.publish(&prepared), change.state.revision)
        }
        switch publication {
        case .stored:
          // The previous result is garbage now.
          if prepared.ownSpace != nil { reclaimAfterCommit() }
          return Preparation(revision: revision, context: prepared.context)
        case .outdated:
          if try advance(&prepared, as: layout) { continue }
        case .impossible: break
        }
        abandon(prepared)
        return nil
      }
    } catch {
      // The first error is reported; a later call releases the space if this one fails.
      abandon(prepared)
      throw error
    }
  }

  /// Advances a layout to the dataset's stored state.
  ///
  /// - Returns: Whether that was possible.
  private func advance(_ prepared: inout PreparedLayout, as layout: LayoutID) throws -> Bool {
    try reading(layout.dataset) { try $0.advance(&prepared, $1) }
  }

  private func abandon(_ prepared: PreparedLayout) {
    if let space = prepared.ownSpace { discard(space) }
  }
}
