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
  /// has stored and the log after it; nothing is written.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - revision: The one that the caller knows.
  ///   - body: Computes the answer; run again as that of ``read(_:freshness:_:)`` is. `before`
  ///     is `nil` where ``changes(of:since:layout:in:)`` has no context.
  /// - Throws: ``LayoutCacheError``: `noSuchRevision` for one still to come; what
  ///   ``read(_:freshness:_:)`` throws.
  /// - Complexity: O(log items) nodes for each operation since the revision, in addition to what
  ///   `body` takes.
  public func read<R>(
    _ layout: LayoutID, since revision: Int,
    _ body: (_ before: LayoutSnapshot?, _ present: LayoutSnapshot) throws -> R
  ) throws -> R {
    try read(layout) { try body(former(of: $0, at: revision), $0) }
  }

  /// Runs `body` on where a client is and on where it goes: a layout as it was at a revision, or
  /// is now, and that or another layout of the dataset as it is now. All that is now is of one
  /// revision.
  ///
  ///     let offset = try cache.read(from: phone, to: "wide") { first, last in
  ///       try first.flatMap { try last.contentOffset(keeping: visible, of: $0) }
  ///     }
  ///
  /// - Parameters:
  ///   - layout: The layout that the client shows.
  ///   - revision: The one that it shows; `nil` for the present one.
  ///   - other: The name of the layout that it is to show; `nil` for the same one.
  ///   - body: Computes the answer; run again as that of ``read(_:freshness:_:)`` is. `first` is
  ///     `nil` where ``read(_:since:_:)`` has no layout of the past.
  /// - Throws: As ``read(_:since:_:)``.
  /// - Complexity: As there.
  public func read<R>(
    from layout: LayoutID, since revision: Int? = nil, to other: String? = nil,
    _ body: (_ first: LayoutSnapshot?, _ last: LayoutSnapshot) throws -> R
  ) throws -> R {
    for _ in 0..<Budgets.readAttempts {
      var result: R?
      try read(layout) { present in
        guard let other else {
          result = try body(former(of: present, at: revision), present)
          return
        }
        try read(LayoutID(other, of: layout.dataset)) { last in
          // Somebody may have committed between the two.
          guard let present = beside(last, present) else { return }
          result = try body(former(of: present, at: revision), last)
        }
      }
      if let result { return result }
    }
    throw LayoutCacheError(.changedMeanwhile(dataset: layout.dataset))
  }

  /// A layout of the state that another snapshot is of: what is in use moves on together.
  ///
  /// - Parameter earlier: The layout as it was when it was asked for.
  /// - Returns: `nil` where that state is no longer in memory, or the layout is to be laid out
  ///   again.
  private func beside(_ last: LayoutSnapshot, _ earlier: LayoutSnapshot) -> LayoutSnapshot? {
    if last.isOfState(of: earlier) { return earlier }
    guard let state = openDatasets.known(last.layout.dataset).state,
      let present = snapshot(of: earlier.layout, in: state)
    else { return nil }
    return last.isOfState(of: present) && !present.isOutdated ? present : nil
  }

  /// The layout of a snapshot as it was at a revision; the snapshot itself without one.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchRevision`; what reading throws.
  private func former(
    of present: LayoutSnapshot, at revision: Int?
  ) throws -> LayoutSnapshot? {
    guard let revision else { return present }
    guard revision <= present.revision else {
      throw LayoutCacheError(
        .noSuchRevision(
          revision, present: present.revision, dataset: present.layout.dataset))
    }
    return try past(of: present, at: revision)
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
