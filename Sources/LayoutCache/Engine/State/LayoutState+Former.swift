import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutState {
  /// Returns the results before the state's newest commit, from the newest trailing checkpoint of
  /// its row.
  ///
  /// - Returns: `nil` if the history begins with the row's result.
  /// - Throws: ``HistoryIsLost``; errors of reading nodes and the log.
  /// - Precondition: The state is at its row's revision.
  /// - Complexity: O(log items) nodes for each operation of the log between the two.
  fileprivate func recalledFormer(
    _ reader: StoreReader, _ shapes: TreeShapes
  ) throws -> PreviousResults? {
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

  /// Loads the results before the newest commit, which the next commit reverts.
  ///
  /// - Parameter revision: The state's revision.
  /// - Throws: The errors of ``recalledFormer(_:_:)``.
  mutating func recall(
    at revision: Int, _ reader: StoreReader, _ shapes: TreeShapes
  ) throws {
    guard former == nil, row.result?.revision == revision else { return }
    former = try recalledFormer(reader, shapes)
  }
}

/// The error thrown if the log no longer reaches back to a layout's previous result: the layout
/// must be laid out from scratch.
struct HistoryIsLost: Error {}

extension DatasetState {
  /// Loads the active layouts' results before the newest commit if the next log entry reverts
  /// that commit.
  ///
  /// Must be called before the state follows the log: a layout that has followed a commit already
  /// has them.
  ///
  /// - Throws: The errors of ``loadPrevious(_:)``.
  mutating func recallFormerIfUndone(_ reader: StoreReader) throws {
    if layouts.isEmpty { return }
    if try reader.isUndo(revision + 1, of: row.id) { try loadPrevious(reader) }
  }

  /// Loads the active layouts' results before the newest commit. A layout for which this is
  /// impossible becomes inactive, and is laid out from scratch.
  ///
  /// - Throws: Read errors, except those that concern only a layout.
  mutating func loadPrevious(_ reader: StoreReader) throws {
    for (id, layout) in layouts {
      do {
        var layout = layout
        try layout.recall(at: revision, reader, shapes)
        layouts[id] = layout
      } catch is HistoryIsLost {
        layouts[id] = nil
      } catch {
        // A layout does not depend on the log, so a damaged entry is tolerated.
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
  /// Whether a row, not a node, is damaged.
  var isCorrupt: Bool {
    if case .corrupt = code { true } else { false }
  }
}
