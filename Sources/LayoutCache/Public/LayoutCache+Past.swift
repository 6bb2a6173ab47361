import CollectionLayout
import LayoutStore

extension LayoutCache {
  /// Runs `body` on a layout that is up to date with its dataset, and on the same layout as it
  /// was at a revision: for a client that shows that revision, and that a transition or an
  /// anchor leads on.
  ///
  ///     let transition = try cache.read(phone, since: 41) { before, present in
  ///       try before?.transition(to: present, in: rect)
  ///     }
  ///
  /// Who has kept a snapshot of that revision needs none of this, and pays nothing for it: a
  /// transition takes any two snapshots. The layout of the past is computed from what the file
  /// has stored and the log behind it; nothing is written.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - revision: The one that the caller knows.
  ///   - body: Computes the answer; run again as that of ``read(_:freshness:_:)`` is. `before`
  ///     is `nil` where what is stored is later than the revision, as after a checkpoint, or of
  ///     another configuration, or where the log does not lead there.
  /// - Throws: ``LayoutCacheError``: `noSuchRevision` for one still to come; what
  ///   ``read(_:freshness:_:)`` throws.
  /// - Complexity: O(log items) nodes for each operation that the log holds between what is
  ///   stored and the revision, besides what `body` takes.
  public func read<R>(
    _ layout: LayoutID, since revision: Int,
    _ body: (_ before: LayoutSnapshot?, _ present: LayoutSnapshot) throws -> R
  ) throws -> R {
    try read(layout) { present in
      guard revision <= present.revision else {
        throw LayoutCacheError(
          .noSuchRevision(revision, present: present.revision, dataset: layout.dataset))
      }
      return try body(past(of: present, at: revision), present)
    }
  }

  /// The layout of a snapshot as it was at an earlier revision.
  private func past(of present: LayoutSnapshot, at revision: Int) throws -> LayoutSnapshot? {
    if revision == present.revision { return present }
    let name = present.layout
    // Before the file is read: a state must not be later than that.
    let known = openDatasets.known(name.dataset).state
    return try store.read { reader in
      let state = try current(name.dataset, known: known, reader: reader)
      // The dataset may be another one by now.
      guard state.row.id == present.datasetID, revision <= state.revision else { return nil }
      return try state.past(ofLayout: name.layout, at: revision, reader, kinds: customKinds)
        .map { LayoutSnapshot($0.dataset, $0.layout, source: PooledNodes(store: store)) }
    }
  }
}
