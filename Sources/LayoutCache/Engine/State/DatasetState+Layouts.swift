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
  /// - Parameter mayBeBehind: Whether to catch up with what was committed before the
  ///   dataset's checkpoint too.
  /// - Throws: What reading throws, but for damage of the layout itself.
  mutating func bring(
    _ name: String, mayBeBehind: Bool, reader: StoreReader, kinds: CustomKinds
  ) throws -> Readiness {
    if layout(named: name) != nil { return .ready(nil) }
    do {
      let row = try reader.requireLayout(name, of: row)
      guard let result = row.result, let results = try row.results(shapes) else {
        return .needsLayout
      }
      guard result.revision <= revision else {
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
        context = try follow(&layout, from: result.revision, reader: reader)
        if context == nil { return .needsLayout }
      }
      guard layout.results.count == trees.sections.count else {
        return .isDamaged("it does not have its dataset's sections")
      }
      layouts[row.id] = layout
      return .ready(context)
    } catch let limit as LimitError {
      return .isRefused(LayoutCacheError(.cannotLayOut(id(ofLayout: name), limit)))
    } catch let error as LayoutCacheError {
      return .isRefused(error)
    } catch {
      guard let damage = Damage(error) else { throw error }
      return .isDamaged(damage.detail)
    }
  }

  /// Moves a layout on to the state's revision.
  ///
  /// - Returns: What that did; `nil` where the log does not lead there.
  private func follow(
    _ layout: inout LayoutState, from start: Int, reader: StoreReader
  ) throws -> InvalidationContext? {
    let extent = try reader.logExtent(of: row.id, after: start)
    guard extent.batches == revision - start, extent.operations <= Self.lagMax(trees) else {
      return nil
    }
    let id = layout.row.id
    do {
      return try layout.edit(shapes, in: TreeSession(reader)) { editor in
        try reader.forEachLogRow(of: row.id, after: start) { entry in
          let batch = try LoggedBatch(entry, path: reader.path)
          if batch.isEverything(for: id) { throw LogEnds() }
          try editor.apply(batch)
        }
        return try editor.finish(trees)
      }
    } catch is LogEnds {
      return nil
    } catch let error as StoreError {
      // A layout can do without the log, so a damaged entry is no matter.
      guard case .corrupt = error.code else { throw error }
      return nil
    }
  }

  /// The log says that the layout is to be laid out from scratch.
  private struct LogEnds: Error {}

  /// The operations that a layout may be behind before it is laid out from scratch.
  static func lagMax(_ trees: DatasetTrees) -> Int { max(10_000, trees.items.count / 2) }
}
