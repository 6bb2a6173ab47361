import LayoutStore

extension LayoutCache {
  /// Places the named items of stable waterfalls again, in as many commits as needed.
  ///
  /// The first commit consists of one ``BatchOperation/rebalance(layout:section:from:)``
  /// operation per layout, and places at most 32,768 items; see
  /// ``finishRebalancing(_:layouts:preparing:)`` for the following ones. Other writers can
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
  /// - Throws: As ``update(_:with:visible:preparing:expecting:)``. Earlier commits remain.
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
    commit.append(
      try afterCommit { try finishRebalancing(dataset, layouts: layouts, preparing: prepared) })
    return commit
  }

  /// Completes the rebalances that are pending or due.
  ///
  /// Each commit to a dataset rebalances sections with too uneven columns a little, and
  /// continues unfinished rebalance operations. This method does the rest now, in separate
  /// commits of at most 32,768 items each.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layouts: The layouts' names; `nil` for all of the dataset's.
  ///   - prepared: The layouts that the commits update; others are ignored.
  /// - Returns: The last revision, and the changes of all commits. If no rebalance was pending,
  ///   the current revision without changes.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `cannotLayOut`, `database`. Earlier
  ///   commits remain.
  @discardableResult
  public func finishRebalancing(
    _ dataset: String, layouts: [String]? = nil, preparing prepared: UpdatedLayouts = .inUse
  ) throws -> Commit {
    let names = try layouts?.flatMap { name in
      try layoutsWithResult(of: LayoutID(name, of: dataset)).map(\.layout)
    }
    var (commit, isDone) = try continueRebalance(dataset, names, preparing: prepared)
    while !isDone {
      store.letOthersWrite()
      let next = try afterCommit { try continueRebalance(dataset, names, preparing: prepared) }
      commit.append(next.commit)
      isDone = next.isDone
    }
    return commit
  }

  /// Commits a large rebalance step for the first layout that has one pending.
  private func continueRebalance(
    _ dataset: String, _ names: [String]?, preparing prepared: UpdatedLayouts
  ) throws -> (commit: Commit, isDone: Bool) {
    let request = ChangeRequest(
      .continueRebalance(layouts: names), CommitViewport(layouts: prepared))
    let applied = try commit(request, to: dataset).applied
    return (applied.commit, !applied.madeRevision)
  }
}
