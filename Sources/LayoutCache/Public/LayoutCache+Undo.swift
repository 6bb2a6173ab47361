public import CollectionLayout
public import LayoutGeometry

extension LayoutCache {
  /// Undoes the newest commit to a dataset, with a new commit. Undoing that commit is a redo.
  ///
  ///     try cache.update("tate", with: [.delete(keys: ["b"])])
  ///     let commit = try cache.undo("tate")  // "b" is back
  ///
  /// Items, their sizes, data and measured lengths, and sections are restored, and so are all
  /// frames: items of a stable waterfall return to their previous columns, including items
  /// moved by a rebalance.
  ///
  /// Marks and idempotency keys are not undone.
  ///
  ///     try cache.undo("tate", to: 4)  // as it was at revision 4
  ///
  /// A layout knows the columns before its newest 1,000 commits, at most 64 KiB of them. Beyond, and
  /// in a layout that was laid out from scratch since, items of a stable waterfall are placed like
  /// inserted ones; the result states it: ``Commit/undone``. Lengths that a layout measured for
  /// another size of its container stay away.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - target: The revision to return to, by reverting all later commits in one commit; `nil`
  ///     reverts the newest one.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - anchor: What keeps its place in that rectangle.
  ///   - direction: The layout direction of the rectangle; `nil` for the configuration's.
  ///   - layouts: The layouts that the commit updates, as in an update.
  ///   - expected: The present revision; at any other the call fails. `nil` accepts any revision.
  /// - Returns: As ``update(_:with:visible:anchor:direction:preparing:expecting:)``.
  /// - Throws: ``LayoutCacheError``: `cannotUndo` if a commit is an import or created the dataset,
  ///   or if the file no longer contains the previous values: the commit removed more than 16,384
  ///   items at once or more than 4 MiB of data. `revisionMismatch`, `noSuchRevision`,
  ///   `noSuchDataset`, `batchTooLong`, `database`. Nothing is then changed.
  /// - Complexity: That of the undone commits.
  @discardableResult
  public func undo(
    _ dataset: String, to target: Int? = nil, visible: Rect? = nil,
    anchor: OffsetAnchor = .cell, direction: LayoutConfiguration.LayoutDirection? = nil,
    preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil
  ) throws -> Commit {
    try undo(
      dataset, to: target, visible: visible, anchor: anchor, direction: direction,
      preparing: layouts, expecting: expected, once: nil,
      answer: nil
    ).applied.commit
  }
}
