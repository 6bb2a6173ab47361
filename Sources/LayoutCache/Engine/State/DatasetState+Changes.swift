import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetState {
  /// Returns the changes of a layout since an earlier revision, up to this state's.
  ///
  /// It follows from what the file has alone, and is what every process would say: a stored
  /// result is moved to the revision along the log, and from there to the present. Nothing is
  /// published, nor laid out.
  ///
  /// - Parameters:
  ///   - name: The layout's name.
  ///   - revision: At most this state's.
  ///   - rect: A rectangle of the content as it is now: only the sections are named that
  ///     meet it. `nil` for all.
  ///   - reader: One in which this state is the file's.
  /// - Returns: ``InvalidationContext/everything`` where ``past(ofLayout:at:_:kinds:)`` has no
  ///   layout.
  /// - Throws: ``LayoutCacheError`` with `noSuchLayout`; what reading throws, but for
  ///   damage of the layout itself.
  /// - Complexity: As ``past(ofLayout:at:_:kinds:)``, and O(log items) nodes for each operation
  ///   since the revision; O(1) where nothing has been committed.
  func changes(
    inLayout name: String, since revision: Int, in rect: Rect?, _ reader: StoreReader,
    kinds: CustomKinds
  ) throws -> Commit.LayoutChange {
    let row = try reader.requireLayout(name, of: self.row)
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
      // The layout could not follow: it has no place for what came since.
      if LayoutRefusal(error) != nil { return change }
      // What only the layout is to blame for is dealt with when it is next asked for.
      guard let damage = Damage(error), damage.space != self.row.space else { throw error }
    }
    return change
  }
}

extension DatasetState {
  /// A layout as it was at an earlier revision, and its dataset then.
  ///
  /// The dataset's trees, and a layout that follows from its items, are moved there from
  /// wherever they are stored. A layout with a history is moved forward from its last checkpoint
  /// that is not later.
  ///
  /// - Parameters:
  ///   - revision: At most this state's.
  ///   - reader: One in which this state is the file's.
  /// - Returns: `nil` beyond the reach of history, which is ``historyLagMax`` operations, and
  ///   where the layout's history began later, the layout has no checkpoint as early, the log
  ///   does not reach back, or undo cannot revert one of its entries.
  /// - Throws: What reading throws, but for damage of the layout itself.
  /// - Complexity: O(log items) nodes for each operation of the log between the revision and the
  ///   stored trees, and between it and the stored layout.
  func past(
    ofLayout name: String, at revision: Int, _ reader: StoreReader, kinds: CustomKinds
  ) throws -> (dataset: DatasetState, layout: LayoutState)? {
    guard try reader.requireLayout(name, of: row).canBePast(at: revision),
      let extent = try reader.logExtent(after: revision, upTo: head),
      extent.operations <= historyLagMax,
      var past = try Self.past(row, at: revision, reader, shapes),
      case .ready = try past.bring(
        name, mayBeBehind: true, reader: reader, kinds: kinds, lagMax: historyLagMax),
      let layout = past.layout(named: name)
    else { return nil }
    return (past, layout)
  }
}

extension LayoutRow {
  /// Whether the stored result is of the present configuration, and its history reaches back to
  /// a revision.
  fileprivate func canBePast(at revision: Int) -> Bool {
    guard let result else { return false }
    return hasReadableResult && !isOutdated && result.historyBegin <= revision
  }
}

extension LayoutState {
  /// Leaves in a context what it says of sections that meet a rectangle of the content.
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
