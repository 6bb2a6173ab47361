import LayoutStore

extension DatasetChange {
  /// Releases the trailing checkpoints of all layouts where every commit is stored. The newest
  /// commit cannot be undone from then on.
  mutating func releaseTrailing() throws {
    guard state.row.revision == state.revision else { return }
    for var row in try writer.reader.layouts(of: state.row.id) {
      guard let result = row.result, !result.trailing.isEmpty else { continue }
      // A lagging one needs it still where the first commit that it has to follow is an undo.
      if try writer.reader.isUndo(result.revision + 1, of: state.row.id) { continue }
      var trailing = result.trailing
      try writer.release(&trailing)
      row.result?.trailing = trailing
      try writer.put(row)
      if state.layouts[row.id]?.row.result?.trailing == result.trailing {
        state.layouts[row.id]?.row = row
      }
    }
    // Whether a batch is accepted depends on the dataset alone, so this is independent of layouts.
    guard state.row.historyBegin < state.revision else { return }
    state.row.historyBegin = state.revision
    try writer.put(state.row)
  }
}

extension DatasetState {
  /// The batch that takes the newest commit back.
  ///
  /// - Throws: ``LayoutCacheError`` with `cannotUndo`; what reading throws.
  func newestUndone(_ reader: StoreReader) throws -> LoggedBatch {
    do {
      guard let entry = try reader.logRow(of: row.id, at: revision) else {
        throw UndoObstacle.isNotLogged
      }
      let batch = try LoggedBatch(entry, path: reader.path).undone()
      // It is no longer known which columns items of a stable waterfall had before.
      if revision <= row.historyBegin { throw UndoObstacle.isNotLogged }
      return batch
    } catch let obstacle as UndoObstacle {
      throw LayoutCacheError(.cannotUndo(revision: revision, obstacle, dataset: row.name))
    }
  }
}
