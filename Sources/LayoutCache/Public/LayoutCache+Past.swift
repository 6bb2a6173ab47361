import CollectionLayout
import LayoutStore

extension LayoutCache {
  /// Runs `body` on an up-to-date layout and on the same layout at an earlier revision: for a
  /// client that shows that revision and needs a transition or an anchor.
  ///
  ///     let transition = try cache.read(phone, since: 41) { before, present in
  ///       try before?.transition(to: present, in: rect)
  ///     }
  ///
  /// A caller that has retained a snapshot of that revision does not need this method, and
  /// avoids its cost: a transition takes any two snapshots. The earlier layout is computed by
  /// reverting the commits since, as an undo would; nothing is written.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - revision: The revision that the caller knows.
  ///   - body: Computes the answer; may be run again, as in ``read(_:freshness:_:)``. `before`
  ///     is `nil` if an undo does not restore that revision, or the layout was laid out since.
  /// - Throws: ``LayoutCacheError``: `noSuchRevision` for a future revision; errors of
  ///   ``read(_:freshness:_:)``.
  /// - Complexity: O(log items) nodes for each operation since the revision, in addition to `body`.
  public func read<R>(
    _ layout: LayoutID, since revision: Int,
    _ body: (_ before: LayoutSnapshot?, _ present: LayoutSnapshot) throws -> R
  ) throws -> R {
    try read(layout) { try answer(former(of: $0, at: revision), $0, body) }
  }

  /// Runs `body` on the layout that a client shows, at an earlier or the current revision, and
  /// on the layout that it will show: the same or another one at the current revision. All
  /// current states have the same revision.
  ///
  ///     let offset = try cache.read(from: phone, to: "wide") { first, last in
  ///       try first.flatMap { try last.contentOffset(keeping: visible, of: $0) }
  ///     }
  ///
  /// - Parameters:
  ///   - layout: The layout that the client shows.
  ///   - revision: The revision that the client shows; `nil` for the current one.
  ///   - other: The name of the layout that the client will show; `nil` for the same one.
  ///   - body: Computes the answer; may be run again, as in ``read(_:freshness:_:)``. `first`
  ///     is `nil` if ``read(_:since:_:)`` has no earlier layout.
  /// - Throws: As ``read(_:since:_:)``.
  /// - Complexity: As ``read(_:since:_:)``.
  public func read<R>(
    from layout: LayoutID, since revision: Int? = nil, to other: String? = nil,
    _ body: (_ first: LayoutSnapshot?, _ last: LayoutSnapshot) throws -> R
  ) throws -> R {
    for _ in 0..<Budgets.readAttempts {
      var result: R?
      try read(layout) { present in
        guard let other else {
          result = try answer(former(of: present, at: revision), present, body)
          return
        }
        try read(LayoutID(other, of: layout.dataset)) { last in
          // Another commit may have come between the two reads.
          guard let present = beside(last, present) else { return }
          result = try answer(former(of: present, at: revision), last, body)
        }
      }
      if let result { return result }
    }
    throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
  }

  /// Runs `body`, without the former state if that is only in memory and some of its items are deleted.
  private func answer<R>(
    _ former: LayoutSnapshot?, _ last: LayoutSnapshot,
    _ body: (_ first: LayoutSnapshot?, _ last: LayoutSnapshot) throws -> R
  ) throws -> R {
    guard let former, former.isTemporary, former.revision != last.revision else {
      return try body(former, last)
    }
    do { return try body(former, last) } catch  where Damage(error) != nil {
      return try body(nil, last)
    }
  }

  /// Returns a layout in the same state as another snapshot. Active layouts advance together.
  ///
  /// - Parameter earlier: The layout's snapshot from the first read.
  /// - Returns: `nil` if that state is no longer in memory, or the layout must be laid out again.
  private func beside(_ last: LayoutSnapshot, _ earlier: LayoutSnapshot) -> LayoutSnapshot? {
    if last.isOfState(of: earlier) { return earlier }
    guard let present = snapshotInMemory(of: earlier.layout, generation: nil) else { return nil }
    return last.isOfState(of: present) && !present.isOutdated ? present : nil
  }

  /// Returns the layout of a snapshot at a revision; the snapshot itself if `revision` is `nil`.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchRevision`; errors of reading.
  private func former(
    of present: LayoutSnapshot, at revision: Int?
  ) throws -> LayoutSnapshot? {
    guard let revision else { return present }
    try requireReached(revision, by: present)
    return try past(of: present, at: revision)
  }

  /// Returns the layout of a snapshot at an earlier revision.
  private func past(of present: LayoutSnapshot, at revision: Int) throws -> LayoutSnapshot? {
    if revision == present.revision { return present }
    if present.isTemporary {
      return temporary.results(of: .whole, in: present)?.layout(of: present, at: revision)
    }
    return try present.past(at: revision)
  }
}
