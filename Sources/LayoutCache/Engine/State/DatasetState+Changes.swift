import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetState {
  /// Returns the changes of a layout since an earlier revision, up to this state's.
  ///
  /// The result depends only on the file and is the same for every process: a stored result is
  /// moved to the revision along the log, and from there to the present. Nothing is published or
  /// laid out.
  ///
  /// - Parameters:
  ///   - name: The layout's name.
  ///   - revision: At most this state's revision.
  ///   - rect: A rectangle of the present content; only sections that intersect it are included.
  ///     `nil` for all.
  ///   - reader: A reader for which this state is current.
  /// - Returns: The changes; ``InvalidationContext/everything`` if ``past(ofLayout:at:_:kinds:)``
  ///   returns no layout.
  /// - Throws: ``LayoutCacheError`` with `noSuchLayout`; read errors, except damage of the layout
  ///   itself.
  /// - Complexity: As for ``past(ofLayout:at:_:kinds:)``, plus O(log items) nodes for each
  ///   operation since the revision; O(1) if nothing has been committed.
  func changes(
    inLayout name: String, since revision: Int, in rect: Rect?, _ reader: StoreReader,
    kinds: CustomKinds
  ) throws -> Commit.LayoutChange {
    let row = try reader.requireLayout(name, of: self.row)
    try row.requireOneSize(path: reader.path)
    var change = Commit.LayoutChange(
      layout: row.name, incarnation: row.result.map { Incarnation($0.incarnation) } ?? "",
      context: .everything)
    guard row.canBePast(at: revision) else { return change }
    if revision == self.revision {
      change.context = InvalidationContext()
      return change
    }
    do {
      guard var layout = try past(ofLayout: name, at: revision, reader, kinds: kinds)?.layout,
        var context = try follow(&layout, from: revision, reader, lagMax: historyLagMax)
      else { return change }
      if let rect { try layout.cut(&context, to: rect, in: TreeSession(reader)) }
      change.context = context
    } catch {
      // The layout could not follow: it cannot be laid out after a later change.
      if LayoutRefusal(error) != nil { return change }
      // Damage of the layout itself is handled when the layout is next requested.
      guard let damage = Damage(error), damage.space != self.row.space else { throw error }
    }
    return change
  }
}

extension DatasetState {
  /// Returns a layout and its dataset as of an earlier revision.
  ///
  /// The dataset's trees, and a layout that follows from its items, are moved to the revision
  /// from their stored state, in either direction. A layout with a history is moved forward from
  /// its last checkpoint that is not later.
  ///
  /// - Parameters:
  ///   - revision: At most this state's revision.
  ///   - reader: A reader for which this state is current.
  /// - Returns: `nil` beyond the reach of history, which is ``historyLagMax`` operations; also if
  ///   the layout's history began later, the layout has no checkpoint that early, the log does
  ///   not reach back, or undo cannot revert one of its entries.
  /// - Throws: Read errors, except damage of the layout itself.
  /// - Complexity: O(log items) nodes for each operation of the log between the revision and the
  ///   stored trees, and between the revision and the stored layout.
  func past(
    ofLayout name: String, at revision: Int, _ reader: StoreReader, kinds: CustomKinds
  ) throws -> (dataset: DatasetState, layout: LayoutState)? {
    guard try reader.requireLayout(name, of: row).canBePast(at: revision),
      let extent = try reader.logExtent(after: revision, upTo: head),
      extent.operations <= historyLagMax,
      var past = try Self.past(row, at: revision, reader, shapes),
      case .ready = try past.bring(
        name, mayLag: true, reader: reader, kinds: kinds, lagMax: historyLagMax),
      let layout = past.layout(named: name)
    else { return nil }
    return (past, layout)
  }
}

extension LayoutRow {
  /// Returns whether the stored result is of the present configuration and its history reaches
  /// back to a revision.
  fileprivate func canBePast(at revision: Int) -> Bool {
    guard let result else { return false }
    return hasReadableResult && !isOutdated && result.historyBegin <= revision
  }
}

extension LayoutState {
  /// Reduces a context to the sections that intersect a rectangle of the content.
  fileprivate func cut(
    _ context: inout InvalidationContext, to rect: Rect, in session: TreeSession
  ) throws {
    let rect = plan.space.canonical(rect.bounded, mainLength: plan.mainLength(of: results))
    try context.keepSections { section in
      let found = try results.place(at: section.section, in: session)
      return rect.intersects(
        Rect(
          x: .zero, y: section.start, width: plan.space.crossLength,
          height: found.leaf.entries[found.index].length))
    }
  }
}
