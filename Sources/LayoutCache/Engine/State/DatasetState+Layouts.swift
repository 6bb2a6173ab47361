import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetState {
  /// Activates a layout if reading the file suffices: with its stored result, which may be of an
  /// earlier configuration.
  ///
  /// Only this function decides whether a layout can answer queries.
  ///
  /// - Parameters:
  ///   - mayLag: Whether to also catch up with commits before the dataset's checkpoint.
  ///   - lagMax: The number of operations that the layout may lag; by default the number up to
  ///     which following is worthwhile.
  /// - Throws: Read errors, except damage of the layout itself.
  mutating func bring(
    _ name: String, mayLag: Bool, reader: StoreReader, kinds: CustomKinds,
    lagMax: Int? = nil
  ) throws -> Readiness {
    let asked = revision
    if let id = layout(named: name)?.row.id {
      layouts[id]?.lastAsked = asked
      return .ready(nil)
    }
    do {
      let row = try reader.requireLayout(name, of: row)
      guard row.hasReadableResult, let result = row.result,
        let results = try row.results(shapes)
      else { return .needsLayout }
      guard result.revision <= revision else {
        return .damaged("it is ahead of its dataset")
      }
      let plan: LayoutPlan
      do {
        plan = try row.plan(of: result.configuration, reader, kinds: kinds)
      } catch is LayoutCacheError where row.isOutdated {
        // The layout's previous kind is unknown to this process.
        return .needsLayout
      }
      var layout = try LayoutState(
        row: row, plan: plan.measured(results.measured), results: results.tree)
      layout.elementCountMax = try reader.fileBytes()
      var context: InvalidationContext?
      if result.revision < revision {
        guard mayLag || result.revision >= self.row.revision else { return .behindCheckpoint }
        context = try follow(&layout, from: result.revision, reader, lagMax: lagMax)
        if context == nil { return .needsLayout }
      }
      guard layout.results.count == trees.sections.count else {
        return .damaged("its section count differs from its dataset's")
      }
      layout.lastAsked = asked
      layouts[row.id] = layout
      return .ready(context)
    } catch let error as LayoutCacheError {
      return .rejected(error)
    } catch {
      if let refusal = LayoutRefusal(error) {
        return .rejected(LayoutCacheError(.cannotLayOut(id(ofLayout: name), refusal)))
      }
      guard let damage = Damage(error) else { throw error }
      return .damaged(damage.detail)
    }
  }

  /// Advances a layout to the state's revision, in one step.
  ///
  /// - Returns: The changes; `nil` if the log does not lead there.
  func follow(
    _ layout: inout LayoutState, from start: Int, _ reader: StoreReader, lagMax: Int? = nil
  ) throws -> InvalidationContext? {
    guard start < revision else { return InvalidationContext() }
    struct LaidOutAgain: Error {}
    let id = layout.row.id
    do {
      guard let extent = try reader.logExtent(after: start, upTo: head),
        try isFollowed(extent, by: layout, after: start, lagMax, reader)
      else { return nil }
      var isStored = layout.row.result != nil
      let space = layout.row.result?.space
      let context = try layout.edit(shapes, in: TreeSession(reader)) { editor in
        try reader.forEachLogRow(after: start, upTo: head) { entry in
          let batch = try LoggedBatch(entry, path: reader.path)
          if batch.isEverything(for: id) { throw LaidOutAgain() }
          try editor.apply(batch, at: entry.revision)
          if isStored, let space {
            isStored = try LoggedContexts(entry).context(in: space, path: reader.path) != nil
          }
        }
        return try editor.finish(trees)
      }
      // Otherwise the processes that committed have stored their steps.
      if !isStored { layout.add(ContextStep(start: start, end: revision, context: context)) }
      return context
    } catch is LaidOutAgain {
      return nil
    } catch let error as StoreError where error.isCorrupt {
      // A layout does not depend on the log, so a damaged entry is tolerated.
      return nil
    }
  }

  /// Returns whether a part of the log is short enough to be followed. Changes of data are not
  /// counted for layouts that do not read data, because they cost nothing there.
  private func isFollowed(
    _ extent: LogExtent, by layout: LayoutState, after start: Int, _ lagMax: Int?,
    _ reader: StoreReader
  ) throws -> Bool {
    let lagMax = lagMax ?? self.lagMax(of: layout)
    // A result that no process may choose again is followed as long as the log leads to it.
    guard extent.bytes < Budgets.keptLogBytes || lagMax == .max else { return false }
    if extent.operations <= lagMax { return true }
    guard !layout.plan.readsData else { return false }
    var count = 0
    try reader.forEachLogRow(after: start, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      count += batch.operations.reduce(0) { $1.isOfData ? $0 : $0 + $1.weight }
    }
    return count <= lagMax
  }

  /// Returns the number of operations that a layout may lag before it is laid out from scratch.
  ///
  /// Columns of a stable waterfall are history, which is followed as long as possible. Other
  /// layouts can be obtained either way, but laying out from scratch begins a new history:
  /// returning clients must then fetch everything. So it is done only if the layout lags far and
  /// laying it out is cheaper: some thousand items take the time of one operation.
  private func lagMax(of layout: LayoutState) -> Int {
    layout.plan.hasHistory
      ? lagMax : max(Budgets.followedOperations, trees.items.count / 1000)
  }

  /// The number of operations that a layout with a history may lag.
  var lagMax: Int { max(Budgets.followedOperations, trees.items.count / 2) }

  /// Returns the active layouts with an overdue rebalance, by ID.
  ///
  /// - Parameter names: The layouts to consider; `nil` for all.
  func overdueLayouts(of names: [String]?) -> [LayoutState] {
    layouts.values
      .filter { $0.results.summary.overdueCount > 0 }
      .filter { layout in names?.contains { layout.row.name.isExactly($0) } ?? true }
      .sorted { $0.row.id < $1.row.id }
  }
}
