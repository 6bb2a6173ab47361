public import CollectionLayout
public import LayoutGeometry

extension LayoutCache {
  /// Applies a batch of operations durably and atomically, each to the result of the previous ones.
  ///
  ///     let commit = try cache.update("tate", with: [
  ///       .insert([Item(key: "a", width: 4, height: 3)], at: .index(0, section: "1997")),
  ///       .delete(keys: ["b"]),
  ///     ])
  ///
  /// A commit appends one row to the dataset's log. Readers continue with the previous revision
  /// until the commit completes, and never wait for it.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - operations: The batch. An operation that changes nothing, such as a resize to the same
  ///     size, is ignored; a batch of only such operations adds no revision.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - anchor: What keeps its place in that rectangle.
  ///   - direction: The layout direction of the rectangle; `nil` for the configuration's.
  ///   - layouts: The layouts that the commit updates. Layouts in ``UpdatedLayouts/named(_:)``
  ///     that have not been laid out yet are laid out before the batch is applied.
  ///   - expected: The revision that the batch is based on; at any other revision the batch is
  ///     rejected, even if it would change nothing. `nil` accepts any revision.
  /// - Returns: The new revision; the current one if the batch changes nothing; or that of the
  ///   earlier commit that already applied the batch, according to its mark. Also the changes to
  ///   the dataset's lists and to those layouts; see ``Commit/layouts``. A layout that could not
  ///   be updated is listed with the reason; the batch is committed regardless.
  /// - Throws: ``LayoutCacheError``: `refused` with the operation's number and the reason,
  ///   `revisionMismatch`, `noSuchDataset`, `noSuchLayout` for an unknown name, `batchTooLong`,
  ///   `database`. Nothing is changed then.
  /// - Complexity: O(log items) nodes for each inserted, deleted, moved or resized item, for
  ///   each updated layout; `exact` waterfalls place later items again until their columns
  ///   agree. Writes one row, and every thousand commits the changed nodes.
  @discardableResult
  public func update(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    anchor: OffsetAnchor = .cell, direction: LayoutConfiguration.LayoutDirection? = nil,
    preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil
  ) throws -> Commit {
    try update(
      dataset, with: operations, visible: visible, anchor: anchor, direction: direction,
      preparing: layouts, expecting: expected,
      once: nil, answer: nil
    ).applied.commit
  }

  /// Loads the named layouts, before the write lock is taken.
  ///
  /// - Throws: As ``read(_:freshness:_:)``, except for a layout that can't be laid out: the
  ///   commit reports it.
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
