import LayoutCache

// Turns that overlap: a group is resolved and appended while the one before is applied.

extension ClusterNode {
  /// Resolves changes on the entries that the turn before is applying.
  ///
  /// - Returns: `nil` if a change must be resolved afterwards, and for any failure, which is then
  ///   met again.
  func resolveAhead(
    _ requests: [ChangeRequest], _ queue: DatasetCommitQueue, _ turn: DatasetCommitQueue.Turn
  ) -> (position: SharedPosition, proposals: [LayoutCache.Proposal])? {
    let entries = turn.applied
    let mayOverlap = queue.status { status in
      if isContended(status) || status.aheadCount >= Self.aheadMax || entries.isEmpty {
        status.aheadCount = 0
        return false
      }
      status.aheadCount += 1
      return true
    }
    guard mayOverlap, let last = entries.last?.entry,
      let number = queue.status({ $0.reached?.dataset })
    else { return nil }
    let position = last.position(in: number)
    guard
      let proposals = try? cache.resolve(
        requests, on: queue.dataset, after: entries.map(\.pending), at: position),
      proposals.allSatisfy({ if case .entry = $0 { true } else { false } })
    else { return nil }
    return (position, proposals)
  }

  /// Whether other nodes append to a dataset too. Turns that overlap would leave them no time to
  /// append before the next turn.
  private func isContended(_ status: ReplicaStatus) -> Bool {
    status.lostRace.map { options.now() - $0 < Self.contentionMemory } ?? false
  }

  private static let contentionMemory = Duration.seconds(1)

  /// The maximum number of turns in succession that overlap. A node that always wins does not
  /// know of those that lose; then these get their time.
  private static let aheadMax = 16
}
