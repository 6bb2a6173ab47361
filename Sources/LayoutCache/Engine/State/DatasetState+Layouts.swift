import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetState {
  /// Brings a layout into use, if reading the file suffices for that: as its result
  /// stands, which may be of a configuration that has since been changed.
  ///
  /// The one place that says whether a layout can be answered from.
  ///
  /// - Parameters:
  ///   - mayBeBehind: Whether to catch up with what was committed before the dataset's
  ///     checkpoint too.
  ///   - lagMax: The operations that it may be behind; by default as many as it pays to
  ///     follow.
  /// - Throws: What reading throws, but for damage of the layout itself.
  mutating func bring(
    _ name: String, mayBeBehind: Bool, reader: StoreReader, kinds: CustomKinds,
    lagMax: Int? = nil
  ) throws -> Readiness {
    if layout(named: name) != nil { return .ready(nil) }
    do {
      var row = try reader.requireLayout(name, of: row)
      if isPast { row = row.checkpoint(notAfter: revision) ?? row }
      guard row.hasReadableResult, let result = row.result,
        let results = try row.results(shapes)
      else { return .needsLayout }
      guard result.revision <= revision || isPast else {
        return .isDamaged("it is ahead of its dataset")
      }
      let plan: LayoutPlan
      do {
        plan = try row.plan(of: result.configuration, reader, kinds: kinds)
      } catch is LayoutCacheError where row.isOutdated {
        // The kind that the layout had before is not known to this process.
        return .needsLayout
      }
      var layout = LayoutState(row: row, plan: plan, results: results)
      layout.elementCountMax = try reader.fileBytes()
      var context: InvalidationContext?
      if result.revision < revision {
        guard mayBeBehind || result.revision >= self.row.revision else {
          return .isBehindCheckpoint
        }
        context = try follow(&layout, from: result.revision, reader, lagMax: lagMax)
        if context == nil { return .needsLayout }
      } else if result.revision > revision {
        guard try rewind(&layout, from: result.revision, reader) else { return .needsLayout }
      }
      guard layout.results.count == trees.sections.count else {
        return .isDamaged("it does not have its dataset's sections")
      }
      layout.lastAsked = revision
      layouts[row.id] = layout
      return .ready(context)
    } catch let error as LayoutCacheError {
      return .isRefused(error)
    } catch {
      if let refusal = LayoutRefusal(error) {
        return .isRefused(LayoutCacheError(.cannotLayOut(id(ofLayout: name), refusal)))
      }
      guard let damage = Damage(error) else { throw error }
      return .isDamaged(damage.detail)
    }
  }

  /// Moves a layout on to the state's revision.
  ///
  /// - Returns: What that did; `nil` where the log does not lead there.
  func follow(
    _ layout: inout LayoutState, from start: Int, _ reader: StoreReader, lagMax: Int? = nil
  ) throws -> InvalidationContext? {
    guard start < revision else { return InvalidationContext() }
    let id = layout.row.id
    do {
      guard let extent = try reader.logExtent(after: start, upTo: head),
        try isFollowed(extent, by: layout, after: start, lagMax, reader)
      else { return nil }
      if try reader.isUndo(start + 1, of: row.id) { try layout.recall(at: start, reader, shapes) }
      return try layout.edit(shapes, in: TreeSession(reader)) { editor in
        try reader.forEachLogRow(after: start, upTo: head) { entry in
          let batch = try LoggedBatch(entry, path: reader.path)
          if batch.isEverything(for: id) { throw LogEnds() }
          try editor.apply(batch)
        }
        return try editor.finish(trees)
      }
    } catch is LogEnds {
      return nil
    } catch is HistoryIsLost {
      return nil
    } catch let error as StoreError {
      // A layout can do without the log, so a damaged entry is no matter.
      guard case .corrupt = error.code else { throw error }
      return nil
    }
  }

  /// Moves a layout back to the state's revision by the inverse of the log's entries.
  ///
  /// - Returns: `false` where its history does not reach back to it, does not follow from the
  ///   items, or undo cannot revert one of the entries.
  /// - Precondition: The dataset's trees are those of the revision.
  private func rewind(
    _ layout: inout LayoutState, from start: Int, _ reader: StoreReader
  ) throws -> Bool {
    guard !layout.plan.hasHistory, let result = layout.row.result,
      result.historyBegin <= revision
    else { return false }
    do {
      _ = try layout.edit(shapes, in: TreeSession(reader)) { editor in
        try reader.forEachLogRowBackward(of: row.id, in: (revision + 1)...start) { entry in
          try editor.apply(LoggedBatch(entry, path: reader.path).undone())
        }
        return try editor.finish(trees)
      }
      return true
    } catch is UndoObstacle {
      return false
    } catch let error as StoreError where error.isCorrupt {
      return false
    }
  }

  /// Whether a part of the log is short enough to be followed: changes of data cost layouts
  /// that read none nothing, and don't count where there are not too many of them to be
  /// looked at.
  private func isFollowed(
    _ extent: LogExtent, by layout: LayoutState, after start: Int, _ lagMax: Int?,
    _ reader: StoreReader
  ) throws -> Bool {
    let lagMax = lagMax ?? self.lagMax(of: layout)
    if extent.operations <= lagMax { return true }
    guard !layout.plan.readsData, extent.operations <= historyLagMax else { return false }
    var count = 0
    try reader.forEachLogRow(after: start, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      count += batch.operations.reduce(0) { $1.isOfData ? $0 : $0 + $1.weight }
    }
    return count <= lagMax
  }

  /// The log says that the layout is to be laid out from scratch.
  private struct LogEnds: Error {}

  /// The operations that a layout may be behind before it is laid out from scratch.
  ///
  /// Columns of a stable waterfall are history, which is followed as long as can be. What
  /// follows from the items alone may be had either way, but a layout from scratch is the
  /// begin of a history: clients that were away are told to ask for everything. So it is laid
  /// out only where it is far behind and that costs less: some thousand items in the time of
  /// an operation.
  private func lagMax(of layout: LayoutState) -> Int {
    layout.plan.hasHistory
      ? historyLagMax : max(Budgets.followedOperations, trees.items.count / 1000)
  }

  /// The operations that what has changed is worked out from, whatever the kind, and that a
  /// layout with a history may be behind.
  var historyLagMax: Int { Self.historyLagMax(itemCount: trees.items.count) }

  static func historyLagMax(itemCount: Int) -> Int {
    max(Budgets.followedOperations, itemCount / 2)
  }

  /// The id of the first layout in use that has anything to be evened out.
  ///
  /// - Parameter names: Those that are looked at; `nil` for all.
  func firstOverdueLayout(of names: [String]?) -> Int64? {
    layouts.values
      .filter { $0.results.summary.overdueCount > 0 }
      .filter { layout in names?.contains { layout.row.name.utf8.elementsEqual($0.utf8) } ?? true }
      .map(\.row.id).min()
  }
}
