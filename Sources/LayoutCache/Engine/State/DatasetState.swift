import LayoutStore
import SumTree

/// A dataset in memory at one revision, with its layouts that are in use.
///
/// The log is the truth, and the file's rows are checkpoints of it: the state is
/// that of the row, moved on by what the log holds after it. A state is a value
/// that shares its trees' nodes with the states before it; losing one loses nothing.
struct DatasetState: Sendable {
  /// The checkpoint that the state has moved on from.
  @Shared var row: DatasetRow
  /// The head of the log: what the state has moved on to.
  var head: LogHead
  var trees: DatasetTrees
  let shapes: TreeShapes
  /// The changes of stored nodes since the checkpoint.
  var edits = TreeEdits()
  /// The log's entries after the checkpoint.
  var tail = LogExtent.none
  /// The layouts in use, by id; all of them at ``revision``.
  var layouts: [Int64: LayoutState] = [:]
  /// Whether it may be of an earlier revision than its row and the layouts': it is read and
  /// followed, and never stored.
  var isPast = false
  /// Whether this process has committed any of the tail, and should see to the
  /// checkpoint.
  var hasOwnCommits = false

  /// The identity of the trees in memory.
  let lineage = Lineage()

  /// The base of what is edited on the state's trees.
  var base: TreeBase { TreeBase(lineage: lineage, row: _row, revision: revision) }

  /// The number of committed changes.
  var revision: Int { head.revision }

  /// The layout with a name, if it is in use.
  func layout(named name: String) -> LayoutState? {
    layouts.values.first { $0.row.name == name }
  }

  /// The id of a layout with a name.
  func id(ofLayout name: String) -> LayoutID { LayoutID(name, of: row.name) }

  /// Gives back the nodes that were loaded.
  mutating func unload() {
    trees.unload()
    for id in layouts.keys { layouts[id]?.unload() }
  }
}
