public import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// Takes the newest commit to a dataset back, by its own commit: again is redo.
  ///
  ///     try cache.update("tate", with: [.delete(keys: ["b"])])
  ///     let commit = try cache.undo("tate")  // "b" is where it stood
  ///
  /// Items, their sizes, data and measured lengths, and sections are as they were, and so are
  /// all frames: items of a stable waterfall get the columns back that they had, those that a
  /// rebalance has moved too. A layout that was laid out from scratch since has no columns from
  /// before, and takes the change as it takes any.
  ///
  /// What sources of changes have marked stays marked, and requests that were carried out once
  /// still were.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - layouts: The layouts that the commit brings up to date at once, as of an update.
  ///   - expected: The revision that is to be taken back: at any other nothing is done. `nil`
  ///     for any.
  /// - Returns: As ``update(_:with:visible:preparing:expecting:)``.
  /// - Throws: ``LayoutCacheError``: `cannotUndo` where the newest commit is an import, or made
  ///   the dataset, and where the file does not hold any more what it has changed: it has taken
  ///   out more than 16,384 items at once or more than 4 MiB of data, or the file was compacted
  ///   since. `revisionMismatch`, `noSuchDataset`, `batchTooLong`, `database`. Nothing is then
  ///   changed.
  /// - Complexity: That of the commit that is taken back. Where a checkpoint was made since,
  ///   O(log items) nodes more for each operation of the log after the one before that.
  @discardableResult
  public func undo(
    _ dataset: String, visible: Rect? = nil, preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil
  ) throws -> Commit {
    try undo(
      dataset, visible: visible, preparing: layouts, expecting: expected, once: nil, answer: nil
    ).applied.commit
  }

  /// Reads what layouts were before the newest commit, before anybody has to wait for it.
  func recallFormer(_ dataset: String, preparing layouts: UpdatedLayouts) throws {
    let generation = store.foreignGeneration()
    let known = openDatasets.known(dataset)
    let state = try store.read { reader in
      var state = try current(dataset, known: known.state, reader: reader)
      if case .upToDate = layouts {
        for row in try reader.layouts(of: state.row.id)
        where row.preparedRevision.map({ $0 >= state.row.revision }) ?? false {
          _ = try state.bring(row.name, mayBeBehind: false, reader: reader, kinds: customKinds)
        }
      }
      try state.recallFormer(reader)
      return state
    }
    openDatasets.take(state, generation: generation, since: known)
  }
}
