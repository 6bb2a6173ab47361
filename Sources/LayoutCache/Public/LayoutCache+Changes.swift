public import CollectionLayout
public import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// Returns the changes of a dataset and its layouts since a revision, for a client that
  /// reconnects.
  ///
  ///     let changes = try cache.changes(of: "tate", since: 41, layout: "phone")
  ///     for item in changes.updates.items { list.apply(item) }
  ///
  /// The changes are read from the file, whichever process committed them; nothing is written, and
  /// no layout is laid out. If the log does not reach back to the revision, or holds too many
  /// operations to compose, the updates have a ``DatasetUpdates/reason``.
  ///
  /// A layout's context is known if the layout has followed every commit since the revision, in
  /// this process or another one, or has caught up from it in one step. It does not reach beyond an
  /// import or the layout's current configuration. Otherwise it is `everything`, with its reason.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - revision: The revision that the caller knows; see ``DatasetChanges/incarnation``. The
  ///     log begins at revision 1.
  ///   - layout: A layout's name; `nil` for none.
  ///   - rect: A rectangle of the layout's current content: the context then contains only
  ///     sections that intersect it. The updates are not filtered.
  ///   - direction: The layout direction of the rectangle; `nil` for the configuration's.
  /// - Returns: The composed updates, without items that were inserted and deleted again. The
  ///   work counts of a context are those of the commits, a column in several of them counted once.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `noSuchRevision` for a
  ///   future revision, `database`.
  /// - Complexity: O(operations and commits since); if the layout must catch up, also as
  ///   ``prepare(_:)``.
  public func changes(
    of dataset: String, since revision: Int, layout: String? = nil, in rect: Rect? = nil,
    direction: LayoutConfiguration.LayoutDirection? = nil
  ) throws -> DatasetChanges {
    if let layout = layout.map({ LayoutID($0, of: dataset) }), try isTemporary(layout) {
      return try changes(of: layout, since: revision)
    }
    return try call { _ in
      let layout = try layout.map { try existing(LayoutID($0, of: dataset)).layout }
      return try reading(dataset, isLong: true) { state, reader in
        guard revision <= state.revision else {
          throw LayoutCacheError(
            .noSuchRevision(revision, present: state.revision, dataset: dataset))
        }
        var logged: [LoggedContexts] = []
        let updates = try reader.updates(
          since: revision, upTo: state.head, operationsMax: Budgets.composedOperations
        ) { if layout != nil { logged.append($0) } }
        let layouts = try layout.map {
          [
            try state.changes(
              inLayout: $0, since: revision, logged, in: rect, direction, reader,
              kinds: customKinds,
              beyondReach: updates.reason)
          ]
        }
        return DatasetChanges(
          dataset: dataset, revision: state.revision, since: revision,
          incarnation: Incarnation(state.row.incarnation), updates: updates, layouts: layouts ?? [])
      }
    }
  }

  /// As the public method, for a layout that is not stored: everything since a revision whose state is
  /// not in memory.
  private func changes(of layout: LayoutID, since revision: Int) throws -> DatasetChanges {
    var changes = try self.changes(of: layout, since: revision, showing: .whole)
    changes.updates = try call { _ in
      try store.readLong { reader in
        let row = try reader.requireDataset(layout.dataset)
        guard Incarnation(row.incarnation) == changes.incarnation,
          let head = try reader.logHead(of: row.id, at: changes.revision)
        else { return .everything(.logCut) }
        return try reader.updates(
          since: revision, upTo: head, operationsMax: Budgets.composedOperations)
      }
    }
    return changes
  }
}
