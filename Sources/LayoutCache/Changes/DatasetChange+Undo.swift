import LayoutStore

extension DatasetChange {
  /// Gives back what trails behind the stored trees, where no commit has led away from those:
  /// it is then needed by nobody but an undo, which is refused from then on.
  mutating func releaseTrailing() throws {
    guard state.row.revision == state.revision else { return }
    if let trailing = state.row.trailing {
      try writer.release(trailing)
      state.row.trailing = nil
      try writer.put(state.row)
    }
    for var row in try writer.reader.layouts(of: state.row.id) {
      guard let result = row.result, let trailing = result.trailing else { continue }
      // One that is behind needs it yet where the first commit that it has to follow is an undo.
      if try writer.reader.isUndo(result.revision + 1, of: state.row.id) { continue }
      try writer.release(trailing)
      row.result?.trailing = nil
      try writer.put(row)
      if state.layouts[row.id]?.row.isTrailed(by: trailing) == true {
        state.layouts[row.id]?.row = row
      }
    }
  }
}

extension LayoutRow {
  fileprivate func isTrailed(by trailing: TrailingCheckpoint) -> Bool {
    result?.trailing == trailing
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
      // Where nothing trails behind the stored trees, nobody knows any more which columns items
      // had before.
      if row.revision == revision, row.trailing == nil { throw UndoObstacle.isNotLogged }
      return batch
    } catch let obstacle as UndoObstacle {
      throw LayoutCacheError(.cannotUndo(revision: revision, obstacle, dataset: row.name))
    }
  }
}
