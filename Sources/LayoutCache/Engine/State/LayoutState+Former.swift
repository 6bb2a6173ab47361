import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutState {
  /// What the state's newest commit has led away from, from the newest trailing checkpoint of
  /// its row.
  ///
  /// - Returns: `nil` where the result begins at its row: it has no history before.
  /// - Throws: ``HistoryIsLost``; what reading nodes and the log throws.
  /// - Precondition: The state is at its row's revision.
  /// - Complexity: O(log items) nodes for each operation of the log between the two.
  fileprivate func recalledFormer(
    _ reader: StoreReader, _ shapes: TreeShapes
  ) throws -> FormerResults? {
    guard !beginsHistory, let result = row.result,
      let past = row.checkpoint(notAfter: result.revision - 1),
      let start = past.result?.revision, let results = try past.results(shapes)
    else { return nil }
    guard let head = try reader.logHead(of: row.dataset, at: result.revision),
      try reader.logExtent(after: start, upTo: head) != nil
    else { throw HistoryIsLost() }
    var editor = LayoutEditor(
      results, former: nil, plan: plan, view, shapes, elementCountMax: elementCountMax,
      in: TreeSession(reader))
    try reader.forEachLogRow(after: start, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      if batch.isEverything(for: row.id) { throw HistoryIsLost() }
      try editor.apply(batch)
    }
    return editor.former
  }

  /// Sees to it that the state knows what its newest commit has led away from, where the next
  /// one takes that back.
  ///
  /// - Parameter revision: The state's.
  /// - Throws: As ``recalledFormer(_:_:)``.
  mutating func recall(
    at revision: Int, _ reader: StoreReader, _ shapes: TreeShapes
  ) throws {
    guard former == nil, row.result?.revision == revision else { return }
    former = try recalledFormer(reader, shapes)
  }
}

/// What led to a layout's result is no longer in the file, and it can't be said what it was
/// before: it is to be laid out from scratch.
struct HistoryIsLost: Error {}

extension DatasetState {
  /// Sees to it that the layouts in use know what the state's newest commit has led away from,
  /// where the next one in the log takes that back.
  ///
  /// Called before the state follows the log: what follows a commit knows it anyway.
  ///
  /// - Throws: As ``recallFormer(_:)``.
  mutating func recallFormerIfUndone(_ reader: StoreReader) throws {
    if layouts.isEmpty { return }
    if try reader.isUndo(revision + 1, of: row.id) { try recallFormer(reader) }
  }

  /// Sees to it that the layouts in use know what the newest commit has led away from. One of
  /// which that can't be had is in use no longer, and is laid out from scratch.
  ///
  /// - Throws: What reading throws, but for what only a layout is to blame for.
  mutating func recallFormer(_ reader: StoreReader) throws {
    for (id, layout) in layouts {
      do {
        var layout = layout
        try layout.recall(at: revision, reader, shapes)
        layouts[id] = layout
      } catch is HistoryIsLost {
        layouts[id] = nil
      } catch {
        // A layout can do without the log, so a damaged entry is no matter.
        guard
          LayoutRefusal(error) != nil || Damage(error) != nil
            || (error as? StoreError)?.isCorrupt == true
        else { throw error }
        layouts[id] = nil
      }
    }
  }
}

extension StoreError {
  /// Whether a row is damaged, and not a node.
  var isCorrupt: Bool {
    if case .corrupt = code { true } else { false }
  }
}
