import LayoutGeometry
import LayoutStore
import SumTree

/// A dataset in memory at one revision, with its active layouts.
///
/// The log is authoritative, and the file's rows are checkpoints of it: the state is the row
/// advanced by the later entries of the log. A state is a value that shares its trees' nodes with
/// earlier states; discarding it loses no data.
struct DatasetState: Sendable {
  /// The checkpoint from which the state was advanced.
  @Shared var row: DatasetRow
  /// The head of the log at the state's revision.
  var head: LogHead
  var trees: DatasetTrees
  let shapes: TreeShapes
  /// The changes of stored nodes since the checkpoint.
  var edits = TreeEdits()
  /// The log's entries after the checkpoint.
  var tail = LogExtent.none
  /// The active layouts, by ID; all of them at ``revision``.
  var layouts: [Int64: LayoutState] = [:]
  /// Whether the state may be of an earlier revision than its row and layout rows. Such a state
  /// is read and followed, but never stored.
  var isPast = false
  /// Whether this process has committed part of the tail, and so should write the checkpoint.
  var hasOwnCommits = false

  /// The identity of the trees in memory.
  let lineage = Lineage()

  /// The base for trees edited on this state.
  var base: TreeBase { TreeBase(lineage: lineage, row: _row, revision: revision) }

  /// The number of committed changes.
  var revision: Int { head.revision }

  /// Returns the layout with a name, if it is active.
  func layout(named name: String) -> LayoutState? {
    layouts.values.first { $0.row.name.isExactly(name) }
  }

  /// Returns the ID of a layout with a name.
  func id(ofLayout name: String) -> LayoutID { LayoutID(name, of: row.name) }

  /// Releases the loaded nodes.
  mutating func unload() {
    trees.unload()
    for id in layouts.keys { layouts[id]?.unload() }
  }
}
