public import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// Undoes the newest commit to a dataset, with a new commit. Undoing that commit is a redo.
  ///
  ///     try cache.update("tate", with: [.delete(keys: ["b"])])
  ///     let commit = try cache.undo("tate")  // "b" is back
  ///
  /// Items, their sizes, data and measured lengths, and sections are restored, and so are all
  /// frames: items of a stable waterfall return to their previous columns, including items
  /// moved by a rebalance. A layout that was laid out from scratch since then has no previous
  /// columns; it treats the undo as an ordinary change.
  ///
  /// Marks and idempotency keys are not undone.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - layouts: The layouts that the commit updates, as in an update.
  ///   - expected: The revision to undo; at any other revision the call fails. `nil` accepts any
  ///     revision.
  /// - Returns: As ``update(_:with:visible:preparing:expecting:)``.
  /// - Throws: ``LayoutCacheError``: `cannotUndo` if the newest commit is an import or created
  ///   the dataset, or if the file no longer contains the previous values: the commit removed
  ///   more than 16,384 items at once or more than 4 MiB of data, the file was compacted
  ///   since, or the commit dropped measured lengths of a layout whose container has changed. `revisionMismatch`, `noSuchDataset`, `batchTooLong`, `database`. Nothing is then
  ///   changed.
  /// - Complexity: That of the undone commit. If a checkpoint was made since, also O(log items)
  ///   nodes for each operation in the log since the previous checkpoint.
  @discardableResult
  public func undo(
    _ dataset: String, visible: Rect? = nil, preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil
  ) throws -> Commit {
    try undo(
      dataset, visible: visible, preparing: layouts, expecting: expected, once: nil, answer: nil
    ).applied.commit
  }

  /// Loads the layouts as they were before the newest commit, before the write lock is taken.
  func loadPrevious(_ dataset: String, preparing layouts: UpdatedLayouts) throws {
    let generation = store.foreignGeneration()
    let known = openDatasets.known(dataset)
    let state = try store.read { reader in
      var state = try current(dataset, known: known.state, reader: reader)
      if case .upToDate = layouts {
        for row in try reader.layouts(of: state.row.id)
        where row.preparedRevision.map({ $0 >= state.row.revision }) ?? false {
          _ = try state.bring(row.name, mayLag: false, reader: reader, kinds: customKinds)
        }
      }
      try state.loadPrevious(reader)
      return state
    }
    openDatasets.take(state, generation: generation, since: known)
  }
}
