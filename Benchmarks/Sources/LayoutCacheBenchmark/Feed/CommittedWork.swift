import CollectionLayout
import LayoutCache

/// The work of commits that each bring the one layout up to date.
struct CommittedWork {
  private var work = LayoutWork()
  private var commitCount = 0
  private var layoutCount = 0
  private var revision = 0

  mutating func add(_ commit: Commit) {
    // A change to what there is, such as a random size that the item has already, is none.
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
  /// - Throws: ``Failure`` where a commit has left the layout behind: the figures
  ///   would be those of less than was asked for.
  func means() throws -> [(String, Double)] {
    if layoutCount != commitCount {
      throw Failure(
        .internalError,
        "\(layoutCount) of \(commitCount) commits have brought the layout up to date")
    }
    let count = Double(max(1, commitCount))
    return [
      ("recomputedItems", Double(work.recomputedItems) / count),
      ("changedNodes", Double(work.changedNodes) / count),
    ]
  }
}
