import LayoutStore

/// The identity of the trees of a state in memory. Trees edited on one base can replace the trees
/// of a state with the same base.
struct TreeBase: Sendable {
  let lineage: Lineage
  let row: Shared<DatasetRow>
  let revision: Int

  /// The base of the state after the next commit, if that makes no checkpoint.
  var next: TreeBase { TreeBase(lineage: lineage, row: row, revision: revision + 1) }

  /// Returns whether this is the base of a state.
  func isBase(of state: DatasetState) -> Bool {
    lineage === state.lineage && revision == state.revision
      && row.wrappedValue.isSameCheckpoint(as: state.row)
  }
}

/// The identity of trees in memory. Trees read from the file again have another identity, because
/// nodes of a failed transaction have IDs that the file does not know.
final class Lineage: Sendable {}
