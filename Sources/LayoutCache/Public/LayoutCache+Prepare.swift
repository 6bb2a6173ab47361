public import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree
import Synchronization

/// A layout that is up to date with its dataset.
public struct Preparation: Hashable, Sendable {
  /// The dataset's revision.
  public var revision: Int
  /// The changes of the layout; `nil` where it was up to date.
  public var context: InvalidationContext?
}

extension LayoutCache {
  /// Brings a layout up to date with its dataset, and saves what that takes.
  ///
  /// A layout that has been prepared before catches up with the changes committed
  /// since, in their order; one that has not, or that is too far behind, is laid out from
  /// scratch: one with a stable waterfall where it is behind by more than 10,000
  /// operations and half its items, others by more than 10,000 operations and a thousandth of
  /// them, where that costs less. Where the
  /// configuration has changed, only sections whose own options differ are.
  ///
  /// Other writers do not wait for that: it is written in short transactions into a space
  /// that nobody sees, and published in one. Where there is nothing to do nothing is
  /// written. Other threads that ask for the layout wait; they are answered from its last
  /// result where it has one of another configuration.
  ///
  /// - Returns: The dataset's revision, and the context of all changes that the
  ///   layout has caught up with.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `cannotLayOut`
  ///   where the content would become too long, `changedMeanwhile` where others lay the
  ///   layout out again and again, `database`.
  /// - Complexity: O(log items) nodes for each operation to catch up with; from
  ///   scratch O(items), in constant memory.
  @discardableResult
  public func prepare(_ layout: LayoutID) throws -> Preparation {
    try prepare(layout, discardingSpace: nil, LayoutWatch(clock))
  }

  /// As ``prepare(_:)``, and reports how far it is.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - report: Called while the layout is laid out from scratch, in this thread: some 20
  ///     times a second at most, and once in the end. What it says never goes back. Catching
  ///     up with the log reports nothing.
  /// - Throws: As ``prepare(_:)``.
  @discardableResult
  public func prepare(
    _ layout: LayoutID, reporting report: @escaping (LayoutProgress) -> Void
  ) throws -> Preparation {
    try prepare(layout, discardingSpace: nil, LayoutWatch(clock, report: report))
  }

  /// As ``prepare(_:)``; lays out again what is in a damaged space.
  ///
  /// - Parameter watch: Told of the items that have been placed, and asked whether to continue;
  ///   where it throws nothing is published, and the space that was filled is given back.
  func prepare(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ watch: LayoutWatch
  ) throws -> Preparation {
    guard let coordinator = joined.withLock({ $0.coordinator }) else {
      return try prepareHere(layout, discardingSpace: damaged, watch)
    }
    for _ in 0..<Budgets.readAttempts {
      do {
        return try prepareHere(layout, discardingSpace: damaged, watch)
      } catch is LayoutIsNotPinned {
        _ = try coordinator.commit(
          ChangeRequest(.pin(layout.layout)), to: layout.dataset)
      } catch ReplicationError.historyDiverged {
        try coordinator.rebuild(layout.dataset)
      }
    }
    throw LayoutCacheError(.changedMeanwhile(dataset: layout.dataset))
  }

  /// As ``prepare(_:discardingSpace:_:)``, without asking a shared log.
  ///
  /// - Throws: Besides, of a dataset that follows a shared log: ``LayoutIsNotPinned`` where
  ///   that has not said where the layout's result begins, `ReplicationError` where it has said so
  ///   at a place that is gone by.
  func prepareHere(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ watch: LayoutWatch
  ) throws -> Preparation {
    try call { _ in
      try openDatasets.layingOut(layout) {
        for _ in 0..<Budgets.readAttempts {
          try watch.requireGoOn()
          let (revision, work) = try prepared(layout, discardingSpace: damaged, watch)
          guard var prepared = work else { return Preparation(revision: revision, context: nil) }
          if let preparation = try publish(&prepared, as: layout, watch) { return preparation }
        }
        throw LayoutCacheError(.changedMeanwhile(dataset: layout.dataset))
      }
    }
  }

  /// Brings a layout up to date with the dataset as the file has it, and publishes
  /// nothing.
  ///
  /// - Returns: The dataset's revision; and the layout, or `nil` where there was nothing
  ///   to do.
  private func prepared(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ watch: LayoutWatch
  ) throws -> (revision: Int, work: PreparedLayout?) {
    let generation = store.foreignGeneration()
    let known = openDatasets.known(layout.dataset)
    let (state, work): (DatasetState, PreparedLayout?)
    do {
      (state, work) = try store.read { reader in
        var state = try current(layout.dataset, known: known.state, reader: reader)
        let work = try preparer(reader, watch).prepare(
          layout.layout, of: &state, discardingSpace: damaged)
        return (state, work)
      }
    } catch is CancellationError {
      // What has been filled for nothing; whoever is next sees to it where that fails.
      try? reclaim()
      throw CancellationError()
    }
    openDatasets.take(state, generation: generation, since: known)
    return (state.revision, work)
  }

  private func preparer(_ reader: StoreReader, _ watch: LayoutWatch) -> LayoutPreparer {
    LayoutPreparer(
      store: store, reader: reader, kinds: customKinds, clock: clock, watch: watch
    ) { [logger] in
      logger.warn(.isLaidOutAnew, $0, $1)
    }
  }

  /// Publishes a layout.
  ///
  /// - Returns: `nil` where it is to be prepared again.
  private func publish(
    _ prepared: inout PreparedLayout, as layout: LayoutID, _ watch: LayoutWatch
  ) throws -> Preparation? {
    do {
      while true {
        try watch.requireGoOn()
        let (publication, revision) = try change(layout.dataset) { change in
          (try change.publish(&prepared), change.state.revision)
        }
        switch publication {
        case .isDone:
          // The result before is of no more use.
          if prepared.ownSpace != nil { reclaimAfterCommit() }
          return Preparation(revision: revision, context: prepared.context)
        case .isBehind:
          if try advance(&prepared, as: layout) { continue }
        case .isInVain: break
        }
        abandon(prepared)
        return nil
      }
    } catch {
      // The first error is reported; the space is given back in time in any case.
      abandon(prepared)
      throw error
    }
  }

  /// Moves a layout on to the dataset as the file has it.
  ///
  /// - Returns: Whether it could be.
  private func advance(_ prepared: inout PreparedLayout, as layout: LayoutID) throws -> Bool {
    try store.read { reader in
      try current(layout.dataset, known: openDatasets.known(layout.dataset).state, reader: reader)
        .advance(&prepared, reader)
    }
  }

  private func abandon(_ prepared: PreparedLayout) {
    if let space = prepared.ownSpace { discard(space) }
  }
}
