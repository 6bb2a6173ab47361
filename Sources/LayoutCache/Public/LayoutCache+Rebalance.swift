import LayoutStore

extension LayoutCache {
  /// Places items of stable waterfalls again, all that are named, in as many commits as
  /// that takes.
  ///
  /// The first commit is that of ``BatchOperation/rebalance(layout:section:from:)``, an
  /// operation for each layout, which places 32,768 items at most; see
  /// ``finishRebalancing(_:layouts:preparing:)`` for those that follow. Other writers
  /// come in between.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layouts: The layouts' names; `nil` for all of the dataset's.
  ///   - section: The section's key; `nil` for all sections, or that of `key`.
  ///   - key: The first item to be placed again; `nil` for each section's first.
  ///   - prepared: The layouts that the commits bring up to date at once. The others
  ///     do the rest with later commits.
  /// - Returns: The last revision, and what all commits did.
  /// - Throws: As ``update(_:with:visible:preparing:expecting:)``. What has been committed before
  ///   stands.
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

  /// Carries on the rebalances that are under way or due, until none is.
  ///
  /// A section whose columns differ too much is evened out a little with each commit to
  /// its dataset, and so is what an operation has left to do. This does the rest at once,
  /// in commits of its own, each of which places 32,768 items at most.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layouts: The layouts' names; `nil` for all of the dataset's.
  ///   - prepared: The layouts that the commits bring up to date at once; only those
  ///     are looked at.
  /// - Returns: The last revision, and what the commits did. Where nothing was to be
  ///   done there is none, and the revision is the present one.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `cannotLayOut`, `database`. What
  ///   has been committed before stands.
  @discardableResult
  public func finishRebalancing(
    _ dataset: String, layouts: [String]? = nil, preparing prepared: UpdatedLayouts = .inUse
  ) throws -> Commit {
    var (commit, isDone) = try carryOn(dataset, layouts, preparing: prepared)
    while !isDone {
      store.letOthersWrite()
      let next = try afterCommit { try carryOn(dataset, layouts, preparing: prepared) }
      commit.append(next.commit)
      isDone = next.isDone
    }
    return commit
  }

  /// Commits a large instalment for the first layout that has anything to be evened out.
  private func carryOn(
    _ dataset: String, _ names: [String]?, preparing prepared: UpdatedLayouts
  ) throws -> (commit: Commit, isDone: Bool) {
    let request = ChangeRequest(
      .continueRebalance(layouts: names), CommitViewport(layouts: prepared))
    let applied = try commit(request, to: dataset).applied
    return (applied.commit, !applied.madeRevision)
  }
}
