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
  ///     try cache.undo("tate", to: 4)  // as it was at revision 4
  ///
  /// Reverting several commits, or one whose previous columns are not known, restores the items and
  /// sections; items of a stable waterfall are then placed like inserted ones. So are measured
  /// lengths, but for those that a layout measured for another size of its container. The result
  /// states it: ``Commit/undone``.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - target: The revision to return to, by reverting all later commits in one commit; `nil`
  ///     reverts the newest one exactly, or fails.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - layouts: The layouts that the commit updates, as in an update.
  ///   - expected: The present revision; at any other the call fails. `nil` accepts any revision.
  /// - Returns: As ``update(_:with:visible:preparing:expecting:)``.
  /// - Throws: ``LayoutCacheError``: `cannotUndo` if a commit is an import or created the dataset,
  ///   or if the file no longer contains the previous values: the commit removed more than 16,384
  ///   items at once or more than 4 MiB of data; without `target` also if the file was compacted
  ///   since, or the commit dropped measured lengths of a layout whose container has changed.
  ///   `revisionMismatch`, `noSuchRevision`, `noSuchDataset`, `batchTooLong`, `database`. Nothing
  ///   is then changed.
  /// - Complexity: That of the undone commits. If a checkpoint was made since, also O(log items)
  ///   nodes for each operation in the log since the previous checkpoint.
  @discardableResult
  public func undo(
    _ dataset: String, to target: Int? = nil, visible: Rect? = nil,
    preparing layouts: UpdatedLayouts = .inUse, expecting expected: Int? = nil
  ) throws -> Commit {
    try undo(
      dataset, to: target, visible: visible, preparing: layouts, expecting: expected, once: nil,
      answer: nil
    ).applied.commit
  }

  /// Loads the layouts as they were before the newest commit, before the write lock is taken,
  /// unless an undo to a revision reverts others too.
  func loadPrevious(
    _ dataset: String, to target: Int?, preparing layouts: UpdatedLayouts
  ) throws {
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
      if target ?? state.revision - 1 == state.revision - 1 { try state.loadPrevious(reader) }
      return state
    }
    openDatasets.take(state, generation: generation, since: known)
  }
}
