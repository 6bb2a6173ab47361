import CollectionLayout
import LayoutCache

/// The work of commits, each of which updates the only layout.
struct CommittedWork {
  private var work = LayoutWork()
  private var commitCount = 0
  private var layoutCount = 0
  private var revision = 0

  mutating func add(_ commit: Commit) {
    // A change without effect, such as a random size equal to the item's present size, is not
    // counted.
    if commit.revision == revision { return }
    revision = commit.revision
    commitCount += 1
    for change in commit.layouts {
      layoutCount += 1
      work = work + change.context.work
    }
  }

  /// The mean work of a commit, by name.
  ///
  /// - Throws: ``Failure`` if a commit did not update the layout: the figures would not include
  ///   the layout's work.
  func means() throws -> [(String, Double)] {
    if layoutCount != commitCount {
      throw Failure(
        .internalError,
        "only \(layoutCount) of \(commitCount) commits updated the layout")
    }
    let count = Double(max(1, commitCount))
    return [
      ("recomputedItems", Double(work.recomputedItems) / count),
      ("changedNodes", Double(work.changedNodes) / count),
    ]
  }
}
