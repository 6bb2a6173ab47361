import CollectionLayout
public import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// Returns the changes of a dataset and its layouts since a revision: for a client
  /// that was away.
  ///
  ///     let changes = try cache.changes(of: "tate", since: 41, layout: "phone")
  ///     for item in changes.updates.items { list.apply(item) }
  ///
  /// All of it is computed from the log, whoever has committed; nothing is written, and no
  /// layout laid out. Where the log does not reach back so far, or holds more than is worth
  /// composing, the updates are ``DatasetUpdates/everything``. A layout's context, of any kind,
  /// reaches back over 10,000 operations, or half as many as the dataset has items, if that is
  /// more. It does not reach beyond an import, the layout's present configuration, or a batch that
  /// ``undo(_:visible:preparing:expecting:)`` could not revert because it is too large. A layout
  /// with a stable waterfall is opened as it was at an earlier checkpoint. The file keeps some of
  /// those, as long as that takes no more than 16,384 nodes; ``compact(willRewriteFile:)`` drops
  /// them. With a revision from before that, the context is `InvalidationContext.everything`.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - revision: The one that the caller knows; see ``DatasetChanges/incarnation``. Before
  ///     revision 1 the log does not reach.
  ///   - layout: A layout's name; `nil` for none.
  ///   - rect: A rectangle of that layout's content as it is now: the context then names
  ///     only sections that meet it. The updates are whole.
  /// - Returns: The updates composed, so that what came and went again is not among them.
  ///   Work that a context counts is that of this call.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `noSuchRevision` for one
  ///   still to come, `database`.
  /// - Complexity: O(operations since), and O(log items) nodes for each of them in the dataset's
  ///   trees and the layout's.
  public func changes(
    of dataset: String, since revision: Int, layout: String? = nil, in rect: Rect? = nil
  ) throws -> DatasetChanges {
    try call { _ in
      // Before the file is read: a state must not be later than that.
      let known = openDatasets.known(dataset).state
      return try store.read { reader in
        let state = try current(dataset, known: known, reader: reader)
        guard revision <= state.revision else {
          throw LayoutCacheError(
            .noSuchRevision(revision, present: state.revision, dataset: dataset))
        }
        let layouts = try layout.map {
          [try state.changes(inLayout: $0, since: revision, in: rect, reader, kinds: customKinds)]
        }
        return DatasetChanges(
          dataset: dataset, revision: state.revision, since: revision,
          incarnation: Incarnation(state.row.incarnation),
          updates: try reader.updates(
            since: revision, upTo: state.head, operationsMax: Budgets.composedOperations),
          layouts: layouts ?? [])
      }
    }
  }
}
