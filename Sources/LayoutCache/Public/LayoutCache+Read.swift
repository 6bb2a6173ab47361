import CollectionLayout
import LayoutStore
import Logging

extension LayoutCache {
  /// Runs `body` on a layout that is up to date with its dataset, laying it out first if necessary.
  ///
  /// `body` is run again, on a newer revision, if another process replaces the dataset during
  /// the read; and after damage in the stored layout was found, logged and repaired. It should
  /// compute an answer without side effects.
  ///
  /// - Parameters:
  ///   - layout: The layout; of a responsive layout a variant, `phone@390`, which is created if it
  ///     does not exist. If the layout keeps as many variants as it may, each used within the last
  ///     hour, and in a file that cannot be written, it is laid out in memory: see
  ///     ``read(_:showing:_:)``.
  ///   - freshness: How to answer if the layout's configuration has changed.
  ///   - body: Computes the answer.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `variant`,
  ///   `layoutsUnderWay`, `concurrentModification`, `database`; errors of `body`.
  public func read<R>(
    _ layout: LayoutID, freshness: Freshness = .current,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try read(layout, freshness: freshness, endingWithTask: false, body)
  }

  /// As the public method.
  ///
  /// - Parameter endsWithTask: Whether cancellation of the current task ends the layout with
  ///   `CancellationError`.
  func read<R>(
    _ layout: LayoutID, freshness: Freshness, endingWithTask endsWithTask: Bool,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try onVariant(layout, for: .answer(freshness)) { lease in
      if let layout = lease.temporary { return try read(layout, showing: .whole, body) }
      return try readPrepared(
        lease.layout, freshness: lease.freshness(freshness), endingWithTask: endsWithTask, body)
    }
  }

  /// Runs `body` on a layout, as ``read(_:freshness:_:)``; on the definition of one that is not stored.
  func readBase<R>(_ layout: LayoutID, _ body: (LayoutSnapshot) throws -> R) throws -> R {
    try onVariant(layout, for: .answer(.current)) { lease in
      if let layout = lease.temporary { return try read(layout, showing: nil, body) }
      return try readPrepared(
        lease.layout, freshness: lease.freshness(.current), endingWithTask: false, body)
    }
  }

  /// Runs `body` on a layout that is not stored, at its dataset's current revision.
  ///
  /// - Parameter view: The view; `nil` for the definition alone.
  private func read<R>(
    _ layout: TemporaryLayout, showing view: DatasetView?, _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try call { first in
      for attempt in 0..<Budgets.readAttempts {
        let generation = attempt == 0 ? first : store.foreignGeneration()
        let definition = try definition(layout, generation: generation)
        do {
          let shown = try view.map { try snapshot(showing: $0, in: definition, by: .pass) }
          guard let snapshot = shown ?? definition else { continue }
          let result = try body(snapshot)
          note(snapshot)
          return result
        } catch {
          guard let damage = Damage(error) else { throw error }
          let isCurrent = try store.read { reader in
            try reader.dataset(named: layout.id.dataset).map(definition.isBased(on:)) ?? false
          }
          if isCurrent { throw LayoutCacheError.damaged(layout.id, damage.detail) }
        }
      }
      throw LayoutCacheError(.concurrentModification(dataset: layout.id.dataset))
    }
  }

  private func definition(
    _ layout: TemporaryLayout, generation: Int
  ) throws -> LayoutSnapshot {
    if let known = definitionInMemory(layout, generation: generation) { return known }
    return try reading(layout.id.dataset, generation: generation) { state, _ in
      definition(layout, in: state)
    }
  }

  private func definition(_ layout: TemporaryLayout, in state: DatasetState) -> LayoutSnapshot {
    LayoutSnapshot(state, layout, source: PooledNodes(store: store), kinds: customKinds)
  }

  /// Returns the definition of a layout that is not stored, if its dataset is in memory.
  private func definitionInMemory(
    _ layout: TemporaryLayout, generation: Int
  ) -> LayoutSnapshot? {
    openDatasets.dataset(inMemory: layout.id.dataset)?.state(at: generation)
      .map { definition(layout, in: $0) }
  }

  /// As ``read(_:freshness:endingWithTask:_:)``, for the name of a layout with a result.
  private func readPrepared<R>(
    _ layout: LayoutID, freshness: Freshness, endingWithTask endsWithTask: Bool,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    try call { first in
      var hasRepaired = false
      for attempt in 0..<Budgets.readAttempts {
        let generation = attempt == 0 ? first : store.foreignGeneration()
        let last = try lastSnapshot(of: layout, generation: generation)
        guard let snapshot = last.flatMap({ answering($0, freshness: freshness) }) else {
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
          guard damage.space == nil || damage.space == snapshot.resultSpace else { throw error }
          // Damage that remains after a new layout is in the items.
          if hasRepaired {
            throw LayoutCacheError.damaged(layout, damage.detail)
          }
          hasRepaired = true
          logger.warn(.isLaidOutAgain, layout, damage.detail)
          try publish(layout, discardingSpace: snapshot.resultSpace, endsWithTask)
        }
      }
      throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
    }
  }

  /// Runs `body` on a layout if that does not block: if the layout is in memory at its
  /// dataset's current revision. The query itself may still read a few pages of the file.
  ///
  /// For threads that must not block, such as a server's event loops.
  ///
  /// - Returns: `nil` if the layout is not in memory, or `body` has encountered deleted or
  ///   damaged nodes, which ``read(_:freshness:_:)`` handles.
  /// - Throws: ``LayoutCacheError``: `closed`, `database`; errors of `body`.
  package func readIfWarm<R>(
    _ layout: LayoutID, freshness: Freshness = .current,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R? {
    try readIfWarm(layout, of: nil, freshness: freshness, body)
  }

  /// As ``readIfWarm(_:freshness:_:)``, on a view; `nil` for the whole dataset.
  func readIfWarm<R>(
    _ layout: LayoutID, of view: DatasetView?, freshness: Freshness = .current,
    _ body: (LayoutSnapshot) throws -> R
  ) throws -> R? {
    try call { generation in
      let base: LayoutSnapshot? =
        switch knownVariant(layout, generation: generation) {
        case .stored(let layout)?:
          snapshotInMemory(of: layout, generation: generation).flatMap {
            answering($0, freshness: freshness)
          }
        case .temporary(let layout)?: definitionInMemory(layout, generation: generation)
        case nil: nil
        }
      guard var snapshot = base else { return nil }
      if let view = view ?? (snapshot.isDefinition ? .whole : nil) {
        guard let shown = try self.snapshot(showing: view, in: snapshot, by: .lookup)
        else { return nil }
        snapshot = shown
      }
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

  /// Prepares and publishes a layout for a query. Queries are answered from published results only.
  ///
  /// - Throws: ``LayoutCacheError`` of category `busy` if the file can't be written, for
  ///   example because another process writes. The query succeeds as soon as another process
  ///   has prepared the layout.
  func publish(
    _ layout: LayoutID, discardingSpace damaged: NodeSpace?, _ endsWithTask: Bool
  ) throws {
    do {
      let watch = ProgressReporter(clock, isCancelled: { endsWithTask && Task.isCancelled })
      _ = try prepare(layout, discardingSpace: damaged, watch)
    } catch let error as LayoutCacheError where error.isReadOnly {
      throw LayoutCacheError.unprepared(layout, inReadOnly: path)
    }
  }

  /// Returns a layout's last result, if a query may be answered from it.
  private func answering(_ last: LayoutSnapshot, freshness: Freshness) -> LayoutSnapshot? {
    guard last.isOutdated, freshness == .current else { return last }
    return openDatasets.isUnderWay(last.layout) ? last : nil
  }

  /// Returns the layout's result at its dataset's current revision, or `nil` if it must be
  /// prepared first.
  ///
  /// - Parameter generation: The store's generation, before anything is read.
  private func lastSnapshot(of layout: LayoutID, generation: Int) throws -> LayoutSnapshot? {
    if let known = snapshotInMemory(of: layout, generation: generation) { return known }
    let (state, present) = try reading(
      layout.dataset, generation: generation, wanted: layout.layout
    ) { state, reader -> (DatasetState, LayoutState?) in
      switch try state.bring(layout.layout, mayLag: false, reader: reader, kinds: customKinds) {
      case .ready: return (state, state.layout(named: layout.layout))
      case .rejected(let error): throw error
      case .needsLayout, .behindCheckpoint, .damaged: return (state, nil)
      }
    }
    guard let present else { return nil }
    // The state may not be the dataset's by now.
    return snapshotInMemory(of: layout, generation: generation) ?? snapshot(present, of: state)
  }

  /// Returns the layout's result at its dataset's current revision, if it is in memory.
  ///
  /// - Complexity: O(1), without reading the file.
  ///
  /// - Parameter generation: As for ``OpenDataset/snapshot(of:at:_:)``.
  func snapshotInMemory(of layout: LayoutID, generation: Int?) -> LayoutSnapshot? {
    openDatasets.dataset(inMemory: layout.dataset)?
      .snapshot(of: layout.layout, at: generation) { snapshot($0, of: $1) }
  }

  /// Whether the nodes of a snapshot should still exist: the file still has the checkpoints
  /// that the snapshot is based on.
  private func isCurrent(_ snapshot: LayoutSnapshot) throws -> Bool {
    try store.read { reader in
      guard
        let dataset = try reader.dataset(named: snapshot.layout.dataset),
        let layout = try reader.layout(named: snapshot.layout.layout, of: dataset.id)
      else { return false }
      return snapshot.isBased(on: dataset, layout)
    }
  }

  private func note(_ snapshot: LayoutSnapshot) { noteLoaded(bytes: snapshot.takeBytesLoaded()) }
}
