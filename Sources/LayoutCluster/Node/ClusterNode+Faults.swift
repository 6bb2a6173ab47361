import LayoutCache
import LayoutReplication
import Logging
import Synchronization

// Datasets that cannot be followed: quarantine, forks and passing failures. Each change of such a
// state is reported once.

extension ClusterNode {
  /// Quarantines a dataset that cannot be followed: it stays unchanged for a while.
  func quarantine(_ queue: DatasetCommitQueue, _ reason: any Error) -> LayoutCacheError {
    let now = options.now()
    let reason = "\(reason)"
    let isKnown = queue.status { status in
      status.quarantined = (reason, now)
      defer { status.reportedQuarantine = reason }
      return status.reportedQuarantine == reason
    }
    if !isKnown {
      counters.quarantines.add()
      options.report(.quarantined(dataset: queue.dataset, reason: reason))
    }
    return Self.isQuarantined(reason)
  }

  /// Returns whether the log lacks an entry that the node has applied. A log that was only cut
  /// before a checkpoint has later entries.
  ///
  /// - Parameters:
  ///   - position: The node's position.
  ///   - next: The log's first entry after it; `nil` for none.
  static func isLost(
    _ position: SharedPosition, _ head: SharedPosition, next: SharedEntry?
  ) -> Bool {
    guard let next else { return head != position && head.sequence <= position.sequence }
    return next.sequence == position.sequence + 1 && !next.isNext(after: position.chain)
  }

  /// Announces that the log has lost entries that the node has applied: to the operator, and by
  /// raising the epoch to all nodes, which load the dataset again with another history. Streams
  /// of events are reset then, and validators and positions from before become invalid.
  func noteLostTail(
    of queue: DatasetCommitQueue, _ position: SharedPosition, _ head: SharedHead
  ) throws {
    let revision = try cache.revision(of: queue.dataset)
    let isNew = queue.status { $0.loseTail(at: position, revision) }
    if isNew {
      counters.lostTails.add()
      options.report(
        .lostTail(
          dataset: queue.dataset, applied: position.sequence, found: head.position.sequence))
    }
    // Random: after a second loss the log may have this epoch again, and the next must differ.
    let next = head.epoch + .random(in: 1...Self.epochStepMax)
    try writing { try store.raiseEpoch(of: position.dataset, from: head.epoch, to: next) }
  }

  /// Returns whether a client may have seen a revision on a branch that the log has lost.
  package func mayBeLost(_ revision: Int, of dataset: String) -> Bool {
    guard let fork = queueIfKnown(of: dataset)?.status({ $0.fork }) else { return false }
    return revision <= fork.revision
  }

  private static let epochStepMax = 1_000_000

  /// Follows the log for a dataset in the background. The next poll retries a failure.
  func followForPoll(_ dataset: Behind) {
    let (queue, name) = (dataset.queue, dataset.queue.dataset)
    do {
      try follow(dataset)
      let hasFailed = queue.status { $0.followFailure.take() } != nil
      if hasFailed { options.report(.followingResumed(dataset: name)) }
    } catch {
      let reason = "\(error)"
      let isKnown = queue.status { status in
        defer { status.followFailure = reason }
        // A quarantine is reported where it begins.
        return status.followFailure != nil || status.quarantined != nil
      }
      if isKnown { return }
      counters.failedFollows.add()
      options.report(.followingFailed(dataset: name, reason: reason))
    }
  }

  /// Runs work, and reports if it begins to fail or succeeds again.
  func note(_ body: () throws -> Void, of work: String, _ logger: Logger) {
    var failures: [(work: String, error: any Error)] = []
    do { try body() } catch { failures = [(work, error)] }
    note(failures, of: work, logger)
  }

  /// Reports the work that has begun to fail, and the work that no longer does.
  ///
  /// - Parameters:
  ///   - failures: The failures of the last attempt.
  ///   - kind: The prefix of all work that was attempted.
  func note(
    _ failures: [(work: String, error: any Error)], of kind: String, _ logger: Logger
  ) {
    let (begun, ended) = failingUpkeep.withLock { known in
      let before = known.filter { $0.hasPrefix(kind) }
      let present = Set(failures.map(\.work))
      known.subtract(before)
      known.formUnion(present)
      return (failures.filter { !before.contains($0.work) }, before.subtracting(present))
    }
    counters.failedUpkeep.add(begun.count)
    for (work, error) in begun {
      logger.warning("upkeep fails", metadata: ["work": "\(work)", "error": "\(error)"])
    }
    for work in ended.sorted() {
      logger.notice("upkeep succeeds again", metadata: ["work": "\(work)"])
    }
  }
}
