import LayoutStore

extension LayoutCache {
  /// Places the named items of stable waterfalls again, in as many commits as needed.
  ///
  /// The first commit consists of one ``BatchOperation/rebalance(layout:section:from:)``
  /// operation per layout, and places at most 32,768 items of each; see
  /// ``finishRebalancing(_:layouts:section:preparing:)`` for the following ones. Other writers can
  /// commit between them.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layouts: The layouts' names; `nil` for all of the dataset's.
  ///   - section: The section's key; `nil` for all sections, or that of `key`.
  ///   - key: The first item to place again; `nil` for each section's first.
  ///   - prepared: The layouts that the commits update. Other layouts continue the rebalance with
  ///     later commits.
  /// - Returns: The last revision, and the changes of all commits.
  /// - Throws: As ``update(_:with:visible:anchor:direction:preparing:expecting:)``. Earlier commits
  ///   remain.
  @discardableResult
  public func rebalance(
    _ dataset: String, layouts: [String]? = nil, section: String? = nil, from key: String? = nil,
    preparing prepared: UpdatedLayouts = .inUse
  ) throws -> Commit {
    let layouts = try layouts ?? layoutNames(of: dataset)
    let operations = layouts.map {
      BatchOperation.rebalance(layout: $0, section: section, from: key)
    }
    var commit = try update(dataset, with: operations, preparing: prepared)
    let rest = try afterCommit {
      let section = try section ?? key.flatMap { try item(forKey: $0, of: dataset)?.sectionKey }
      return try finishRebalancing(dataset, layouts: layouts, section: section, preparing: prepared)
    }
    commit.append(rest)
    return commit
  }

  /// Completes the rebalances that are pending or due.
  ///
  /// Each commit to a dataset rebalances sections with too uneven columns a little, and
  /// continues unfinished rebalance operations. This method does the rest now, in separate
  /// commits of at most 32,768 items of each layout.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layouts: The layouts' names; `nil` for all of the dataset's.
  ///   - section: The key of the section whose rebalance operations are completed; `nil` for
  ///     everything that is pending or due.
  ///   - prepared: The layouts that the commits update; others are ignored.
  /// - Returns: The last revision, and the changes of all commits. If no rebalance was pending,
  ///   the current revision without changes.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `cannotLayOut`, `database`. Earlier
  ///   commits remain.
  @discardableResult
  public func finishRebalancing(
    _ dataset: String, layouts: [String]? = nil, section: String? = nil,
    preparing prepared: UpdatedLayouts = .inUse
  ) throws -> Commit {
    let names = try layouts?.flatMap { name in
      try layoutsWithResult(of: LayoutID(name, of: dataset)).map(\.layout)
    }
    let request = ChangeRequest(
      .continueRebalance(layouts: names, section: section), CommitViewport(layouts: prepared))
    var (commit, isDone) = try continueRebalance(dataset, request)
    while !isDone {
      store.letOthersWrite()
      let next = try afterCommit { try continueRebalance(dataset, request) }
      commit.append(next.commit)
      isDone = next.isDone
    }
    return commit
  }

  /// Commits a large rebalance step for each layout that has one pending.
  private func continueRebalance(
    _ dataset: String, _ request: ChangeRequest
  ) throws -> (commit: Commit, isDone: Bool) {
    let applied = try commit(request, to: dataset).applied
    return (applied.commit, !applied.madeRevision)
  }
}
