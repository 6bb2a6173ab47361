import LayoutStore
import SumTree

/// The result of resolving a change: the same value is applied wherever it was resolved, on a single
/// machine and on each node of a cluster.
enum ChangeContent: Sendable {
  /// A batch of resolved operations, and its bytes in the log; without operations where only its
  /// request is recorded.
  case batch(LoggedBatch, payload: [UInt8])
  case layout(SharedLayoutChange)
  case pin(SharedPin)
  case archive(SharedArchive)
  /// A version of the layout rules comes into force.
  case rules
}

/// A change that was resolved on a state of its dataset.
package struct ResolvedChange: Sendable {
  let content: ChangeContent
  /// The dataset's revision after it.
  let revision: Int
  /// The trees after it, if resolving it has edited them.
  var edited: EditedTrees?
}

/// Trees of a dataset that were edited ahead of the commit.
struct EditedTrees: Sendable {
  /// The state that they were edited on.
  let base: TreeBase
  let trees: DatasetTrees
  /// The edits since the checkpoint.
  let edits: TreeEdits
}

/// The result of resolving a change.
enum ChangeResolution: Sendable {
  /// It is to be applied.
  case change(ResolvedChange)
  /// It has no effect.
  case settled(ChangeOutcome)
  case failed(any Error)
  /// It must wait until the changes before it are committed.
  case mustWait
}
