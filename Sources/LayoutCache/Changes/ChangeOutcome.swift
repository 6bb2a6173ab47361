import LayoutGeometry

/// The outcome of a change.
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
  /// Whether the change attached a layout.
  var isNewLayout = false
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
}
