import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A dataset in memory at one revision, with its layouts that are in use.
///
/// The log is the truth, and the file's rows are checkpoints of it: the state is
/// that of the row, moved on by what the log holds behind it. A state is a value
/// that shares its trees' nodes with the states before it; losing one loses nothing.
struct DatasetState: Sendable {
  /// The checkpoint that the state has moved on from.
  var row: DatasetRow
  var revision: Int
  var trees: DatasetTrees
  /// What became of stored nodes since the checkpoint.
  var edits = DatasetEdits()
  /// What the log holds behind the checkpoint.
  var tail = LogExtent.none
  /// The layouts in use, by id; all of them at ``revision``.
  var layouts: [Int64: LayoutState] = [:]
  /// Whether this process has committed any of the tail, and should see to the
  /// checkpoint.
  var hasOwnCommits = false

  /// The layout with a name, if it is in use.
  func layout(named name: String) -> LayoutState? {
    layouts.values.first { $0.row.name == name }
  }
}

/// A layout in memory, at the revision of its dataset's state.
struct LayoutState: Sendable {
  /// The checkpoint that the state has moved on from; it has a result.
  var row: LayoutRow
  let plan: LayoutPlan
  var results: SumTree<SectionResultLeaf>
  /// What became of stored nodes since the checkpoint.
  var edits = LayoutEdits()

  var contentSize: Size { plan.space.contentSize(mainLength: plan.mainLength(of: results)) }

  /// Moves on by a committed batch.
  ///
  /// - Parameter dataset: The dataset's trees after the batch.
  /// - Returns: What that did.
  /// - Throws: As ``LayoutEditor/apply(_:)``; the state is unchanged.
  mutating func apply(
    _ batch: LoggedBatch, _ dataset: DatasetTrees, reader: TreeReader
  ) throws -> InvalidationContext {
    var editor = self.editor(reader: reader)
    try editor.apply(batch)
    let context = try editor.finish(dataset)
    take(editor)
    return context
  }

  /// Begins to move on by batches.
  func editor(reader: TreeReader) -> LayoutEditor {
    LayoutEditor(results, plan: plan, layout: row.id, edits: edits, reader: reader)
  }

  /// Takes over what batches have come to.
  mutating func take(_ editor: LayoutEditor) {
    results = editor.results
    edits = editor.edits
  }
}

extension LoggedBatch {
  /// Whether a layout must be laid out from scratch to move on by the batch.
  func isEverything(for layout: Int64) -> Bool {
    operations.contains { $0 == .everything(layout: layout) }
  }
}
