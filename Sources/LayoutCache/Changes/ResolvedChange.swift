import CollectionLayout
import LayoutGeometry
import SumTree

/// The content of a resolved change.
enum ChangeContent: Sendable {
  /// A batch of resolved operations, and its bytes in the log; without operations if only its
  /// request is recorded.
  case batch(LoggedBatch, payload: [UInt8])
  case definition(DefinitionChange)
  case pin(SharedPin)
}

/// The change of a layout's or a named view's definition, which makes no revision.
enum DefinitionChange: Hashable, Sendable {
  /// - Parameter template: The number of the template's definition that it comes from.
  case set(id: Int64, name: String, configuration: String, who: String, template: Int? = nil)
  case removed(id: Int64)
  /// - Parameter definition: The encoded view; `nil` for its removal.
  case view(name: String, definition: [UInt8]?)
}

/// The record that the result of a layout begins at a position.
struct SharedPin: Hashable, Sendable {
  var layout: Int64
  /// The incarnation of the result.
  var incarnation: Int64
  /// Whether the result does not continue from an earlier one.
  var isFromScratch: Bool
}

/// An archive of sections and items that a shared log names.
package struct SharedArchive: Hashable, Sendable {
  package var number: Int64
  /// Whether the archive replaces everything, including the marks of sources.
  package var isReplacement: Bool
  /// A hash of the archive's content.
  package var digest: [UInt8]

  package init(number: Int64, isReplacement: Bool, digest: [UInt8]) {
    (self.number, self.isReplacement, self.digest) = (number, isReplacement, digest)
  }
}

/// A change that was resolved on a state of its dataset.
struct ResolvedChange: Sendable {
  let content: ChangeContent
  /// The dataset's revision after the change.
  let revision: Int
  /// The commits that the change reverts; `nil` for others.
  var undone: Commit.Undone?
}

/// The result of resolving a change.
enum ChangeResolution: Sendable {
  /// The change must be applied.
  case change(ResolvedChange)
  /// The change has no effect.
  case settled(ChangeOutcome)
}

package enum ChangeOutcome: Sendable {
  /// The change was applied or had no effect.
  case applied(AppliedChange)
  /// The request had been applied before, so nothing was done. Contains the revision of that
  /// commit, and the answer if it was stored.
  case replayed(revision: Int, answer: [UInt8]?)

  /// The dataset's revision after the change.
  package var revision: Int {
    switch self {
    case .applied(let applied): applied.commit.revision
    case .replayed(let revision, _): revision
    }
  }

  /// The result of a change without an idempotency key.
  var applied: AppliedChange {
    guard case .applied(let applied) = self else {
      preconditionFailure("a change without a key is not replayed")
    }
    return applied
  }
}

/// The result of a change that was applied.
package struct AppliedChange: Sendable {
  package var commit: Commit
  /// The answer to the request, if the caller passed a function that creates one.
  package var answer: [UInt8]?
  /// The part of the work that updated layouts, without reading and writing the file.
  package var layoutDuration = Duration.zero
  /// Whether the change created a revision.
  var madeRevision = false
  /// Whether the change attached a layout, or created a named view.
  var isNew = false
  /// The layouts that must now be laid out from scratch.
  var pending: [PendingLayout] = []

  init(_ commit: Commit) { self.commit = commit }
}

/// A layout that must be laid out from scratch after a commit, or follow it.
struct PendingLayout: Sendable {
  var name: String
  var isFollowing: Bool
  var contentSizeBefore: Size
  /// The cells that the client saw before the commit.
  var seen: AnchorCandidates?
  /// The direction of the client's content; `nil` for that of the configuration.
  var direction: LayoutConfiguration.LayoutDirection?
}
