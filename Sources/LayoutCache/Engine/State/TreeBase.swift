import LayoutStore

/// Identifies the trees of a state in memory. Trees that were edited on one base can take the
/// place of the trees of a state with the same base.
struct TreeBase: Sendable {
  let lineage: Lineage
  let row: Shared<DatasetRow>
  let revision: Int

  /// The base of the state that follows with the next commit, if that makes no checkpoint.
  var next: TreeBase { TreeBase(lineage: lineage, row: row, revision: revision + 1) }

  /// Whether it is a state's.
  func isBase(of state: DatasetState) -> Bool {
    lineage === state.lineage && revision == state.revision
      && row.wrappedValue.isSameCheckpoint(as: state.row)
  }
}

/// The identity of trees in memory. Trees that are read from the file again have another one,
/// because nodes of a failed transaction have ids that the file does not know.
final class Lineage: Sendable {}
