import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetState {
  /// What has changed in a layout since an earlier revision, up to this state's.
  ///
  /// It follows from what the file has alone, and is what all would say: a stored result that
  /// is not later than the revision, be it what trails behind another, is moved on to it by the
  /// log, and from there to the present. Nothing is published, nor laid out.
  ///
  /// - Parameters:
  ///   - name: The layout's name.
  ///   - revision: At most this state's.
  ///   - rect: A rectangle of the content as it is now: only the sections are named that
  ///     meet it. `nil` for all.
  ///   - reader: One in which this state is the file's.
  /// - Returns: ``InvalidationContext/everything`` where there is no such result, or the
  ///   log does not lead on from it.
  /// - Throws: ``LayoutCacheError`` with `noSuchLayout`; what reading throws, but for
  ///   damage of the layout itself.
  /// - Complexity: O(log items) nodes for each operation of the log behind the stored
  ///   states, in the trees and in the layout; O(1) where nothing has been committed.
  func changes(
    inLayout name: String, since revision: Int, in rect: Rect?, _ reader: StoreReader,
    kinds: CustomKinds
  ) throws -> Commit.LayoutChange {
    let row = try reader.requireLayout(name, of: self.row)
    var change = Commit.LayoutChange(
      layout: row.name, incarnation: row.result?.incarnation.description ?? "",
      context: .everything)
    guard row.hasReadableResult, !row.isOutdated, row.checkpoint(notAfter: revision) != nil
    else { return change }
    if revision == self.revision {
      change.context = InvalidationContext()
      return change
    }
    do {
      guard var past = try past(at: revision, reader),
        case .ready = try past.bring(name, mayBeBehind: true, reader: reader, kinds: kinds),
        var layout = past.layout(named: name),
        var context = try follow(&layout, from: revision, reader)
      else { return change }
      if let rect { try layout.cut(&context, to: rect, in: TreeSession(reader)) }
      change.context = context
    } catch is LimitError {
      // The layout could not follow: it has no place for what came since.
    } catch {
      // What only the layout is to blame for is dealt with when it is next asked for.
      guard let damage = Damage(error), damage.space != self.row.space else { throw error }
    }
    return change
  }
}

extension LayoutState {
  /// Leaves in a context what it says of sections that meet a rectangle of the content.
  fileprivate func cut(
    _ context: inout InvalidationContext, to rect: Rect, in session: TreeSession
  ) throws {
    let rect = plan.space.canonical(rect, mainLength: plan.mainLength(of: results))
    try context.keepSections { section in
      let found = try results.place(at: section.section, in: session)
      return rect.intersects(
        Rect(
          x: .zero, y: section.start, width: plan.space.crossLength,
          height: found.leaf.entries[found.index].length))
    }
  }
}
