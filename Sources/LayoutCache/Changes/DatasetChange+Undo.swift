import LayoutStore

extension DatasetChange {
  /// Releases the trailing checkpoints of all layouts if every commit is stored. The newest
  /// commit can then no longer be undone.
  mutating func releaseTrailing() throws {
    guard state.row.revision == state.revision else { return }
    for var row in try writer.reader.layouts(of: state.row.id) {
      guard let result = row.result, !result.trailing.isEmpty else { continue }
      // A lagging layout still needs it if the first commit that it must follow is an undo.
      if try writer.reader.isUndo(result.revision + 1, of: state.row.id) { continue }
      var trailing = result.trailing
      try writer.release(&trailing)
      row.result?.trailing = trailing
      try writer.put(row)
      if state.layouts[row.id]?.row.result?.trailing == result.trailing {
        state.layouts[row.id]?.row = row
      }
    }
    // The acceptance of a batch depends only on the dataset, so this is independent of layouts.
    guard state.row.historyBegin < state.revision else { return }
    state.row.historyBegin = state.revision
    try writer.put(state.row)
  }
}

extension DatasetState {
  /// Returns the batch that reverts the newest commit.
  ///
  /// - Throws: ``LayoutCacheError`` with `cannotUndo`; read errors.
  func newestUndone(_ reader: StoreReader) throws -> LoggedBatch {
    do {
      guard let entry = try reader.logRow(of: row.id, at: revision) else {
        throw UndoError.notLogged
      }
      let batch = try LoggedBatch(entry, path: reader.path).undone()
      // The previous columns of a stable waterfall's items are no longer known.
      if revision <= row.historyBegin { throw UndoError.notLogged }
      return batch
    } catch let obstacle as UndoError {
      throw LayoutCacheError(.cannotUndo(revision: revision, obstacle, dataset: row.name))
    }
  }
}
