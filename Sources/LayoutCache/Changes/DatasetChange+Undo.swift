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
  /// Returns the batch that reverts the commits after a revision, newest first, and what it
  /// reverts.
  ///
  /// If it reverts one commit whose previous columns are known, it is marked as an undo, and
  /// layouts restore them. Otherwise it is like any batch: items of a stable waterfall are placed
  /// like inserted ones.
  ///
  /// - Parameter target: `nil` for the revision before the newest commit, whose previous columns
  ///   and measured lengths must be known.
  /// - Throws: ``LayoutCacheError`` with `cannotUndo`, `noSuchRevision` or `batchTooLong`; read
  ///   errors.
  func reverted(
    to target: Int?, _ reader: StoreReader
  ) throws -> (batch: LoggedBatch, undone: Commit.Undone)? {
    if let target, target > revision {
      throw LayoutCacheError(.noSuchRevision(target, present: revision, dataset: row.name))
    }
    let first = max(target ?? revision - 1, 0) + 1
    if first > revision { return nil }
    guard let extent = try reader.logExtent(after: first - 1, upTo: head) else {
      throw cannotUndo(first, .notLogged)
    }
    // The inverse has about the same size.
    if extent.bytes / 2 > Limits.batchBytesMax {
      throw LayoutCacheError(tooLongBatch: extent.bytes)
    }
    let remeasured = try reader.layouts(of: row.id, remeasuredSince: first)
    var (inverses, summary) = ([[ResolvedOperation]](), OperationSummary())
    var hasColumns = first == revision && revision > row.historyBegin
    try reader.forEachLogRow(after: first - 1, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      var operations: [ResolvedOperation]
      do throws(UndoError) {
        operations = try batch.inverse()
      } catch { throw cannotUndo(entry.revision, error) }
      let dropped = Set(remeasured.filter { $0.lengthsSince >= entry.revision }.map(\.id))
      if !dropped.isEmpty {
        // Those that would be removed too: they are gone, and a redo must not restore them.
        operations = operations.compactMap { $0.removingLengths(of: dropped) }
        if dropped.contains(where: batch.replacesLengths) { hasColumns = false }
      }
      inverses.append(operations)
      summary.add(batch)
    }
    if target == nil, !hasColumns { throw cannotUndo(revision, .notLogged) }
    return (
      LoggedBatch(operations: (hasColumns ? [.undo] : []) + inverses.reversed().joined()),
      Commit.Undone(
        first: first, last: revision,
        summary: "undid "
          + (first == revision ? "revision \(revision)" : "revisions \(first) to \(revision)")
          + ": \(summary)")
    )
  }

  private func cannotUndo(_ revision: Int, _ obstacle: UndoError) -> LayoutCacheError {
    LayoutCacheError(.cannotUndo(revision: revision, obstacle, dataset: row.name))
  }
}
