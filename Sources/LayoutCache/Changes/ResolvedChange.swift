import LayoutStore
import SumTree

/// The content of a resolved change. The same value is applied on a single machine and on each
/// node of a cluster.
enum ChangeContent: Sendable {
  /// A batch of resolved operations, and its bytes in the log; without operations if only its
  /// request is recorded.
  case batch(LoggedBatch, payload: [UInt8])
  case layout(SharedLayoutChange)
  case pin(SharedPin)
  case archive(SharedArchive)
  /// A new version of the layout rules takes effect.
  case rules
}

/// A change that was resolved on a state of its dataset.
package struct ResolvedChange: Sendable {
  let content: ChangeContent
  /// The dataset's revision after the change.
  let revision: Int
  /// The trees after the change, if resolving has edited them.
  var edited: EditedTrees?
  /// The commits that the change reverts; `nil` for others, and those read from a shared log.
  var undone: Commit.Undone?
}

/// Trees of a dataset that were edited ahead of the commit.
struct EditedTrees: Sendable {
  /// The state on which the trees were edited.
  let base: TreeBase
  let trees: DatasetTrees
  /// The edits since the checkpoint.
  let edits: TreeEdits
}

/// The result of resolving a change.
enum ChangeResolution: Sendable {
  /// The change must be applied.
  case change(ResolvedChange)
  /// The change has no effect.
  case settled(ChangeOutcome)
  case failed(any Error)
  /// The change must wait until the earlier changes are committed.
  case mustWait
}
