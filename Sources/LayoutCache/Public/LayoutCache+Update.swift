public import LayoutGeometry

extension LayoutCache {
  /// Carries out a batch of operations, each on the result of those before it: all
  /// of them, durably, or none.
  ///
  ///     let commit = try cache.update("tate", with: [
  ///       .insert([Item(key: "a", width: 4, height: 3)], at: .index(0, section: "1997")),
  ///       .delete(keys: ["b"]),
  ///     ])
  ///
  /// A commit appends one row to the dataset's log. Readers continue with the revision
  /// before until it is done, and never wait for it.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - operations: The batch. An operation that changes nothing, such as a resize to
  ///     the same size, is ignored, and a batch of only such makes no revision.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - layouts: The layouts that the commit brings up to date at once. With
  ///     ``UpdatedLayouts/named(_:)`` those that have not been laid out are, before the batch
  ///     is decided on.
  ///   - expected: The revision that the batch was made for: at any other it is refused,
  ///     even where it would change nothing. `nil` for any.
  /// - Returns: The new revision, or the present one where the batch makes none, or that of
  ///   an earlier commit where its mark says that it was carried out by that; what the
  ///   batch did to the dataset's lists, and what to those layouts; see ``Commit/layouts``. A
  ///   layout that could not be brought up to date is named with the reason; it is no reason to
  ///   refuse a batch, which the dataset alone decides on.
  /// - Throws: ``LayoutCacheError``: `refused` with the operation's number and the
  ///   reason, `revisionMismatch`, `noSuchDataset`, `noSuchLayout` for a name, `batchTooLong`,
  ///   `database`. Nothing is then changed.
  /// - Complexity: O(log items) nodes for each item that is inserted, deleted, moved
  ///   or resized, for each layout brought up to date; `exact` waterfalls place
  ///   later items again until their columns agree. One row is written, and every
  ///   thousand commits the nodes that they have changed.
  @discardableResult
  public func update(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    preparing layouts: UpdatedLayouts = .inUse, expecting expected: Int? = nil
  ) throws -> Commit {
    try update(
      dataset, with: operations, visible: visible, preparing: layouts, expecting: expected,
      once: nil, answer: nil
    ).applied.commit
  }

  /// Brings the layouts that a caller has named into use, before the write lock is taken.
  ///
  /// - Throws: What ``read(_:freshness:_:)`` throws, except where a layout can't be laid out:
  ///   the commit reports it.
  func bringNamed(_ layouts: UpdatedLayouts, of dataset: String) throws {
    for name in layouts.names {
      do {
        try read(LayoutID(name, of: dataset)) { _ in }
      } catch let error as LayoutCacheError {
        switch error.code {
        case .cannotLayOut, .configuration: continue
        default: throw error
        }
      }
    }
  }
}
