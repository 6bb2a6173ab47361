import LayoutCache
package import Logging

// Background work of a node: following the log for datasets in use, making checkpoints, and
// evicting unused datasets.

extension ClusterNode {
  /// Runs the background work until the task is cancelled.
  ///
  /// - Throws: ``ClusterError`` with `diverged` if the log was replaced by another, as after a
  ///   restore. The node must be restarted.
  package func run(_ logger: Logger) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await self.followUsed(logger) }
      group.addTask {
        await self.every(self.options.upkeepInterval) {
          await self.onThread { self.keepUp(logger) }
        }
      }
      group.addTask {
        await self.every(self.options.sweepInterval) {
          await self.onThread { self.sweep(logger) }
        }
      }
    }
  }

  /// Runs `body` repeatedly, with pauses of `interval`, until the task is cancelled.
  private func every(_ interval: Duration, _ body: () async -> Void) async {
    while !Task.isCancelled {
      await body()
      try? await Task.sleep(for: interval)
    }
  }

  /// Runs blocking work on the node's threads, even if the task has been cancelled.
  private func onThread<R: Sendable>(_ body: @Sendable () -> R) async -> R {
    await withTaskExecutorPreference(threads) { await Self.onPreferredThread(body) }
  }

  @concurrent
  private static func onPreferredThread<R: Sendable>(_ body: @Sendable () -> R) async -> R {
    body()
  }

  private func followUsed(_ logger: Logger) async throws {
    var wasAway = false
    try await withThrowingDiscardingTaskGroup { group in
      while !Task.isCancelled {
        switch await onThread({ Result { try self.look(at: self.usedQueues()) } }) {
        case .success(let behind):
          if wasAway { logger.notice("shared log available again") }
          wasAway = false
          for dataset in claim(behind) {
            group.addTask {
              await self.onThread {
                defer { dataset.queue.status { $0.isBeingFollowed = false } }
                self.followForPoll(dataset)
              }
            }
          }
        case .failure(let error):
          if let error = error as? ClusterError { throw error }
          if !wasAway { logger.warning("shared log unavailable", metadata: ["error": "\(error)"]) }
          wasAway = true
        }
        try? await Task.sleep(for: options.pollInterval)
      }
    }
  }

  /// Returns the datasets that were recently requested, or have listeners.
  private func usedQueues() -> [DatasetCommitQueue] {
    let now = options.now()
    return residents().filter { queue in
      let isUsed = queue.status { $0.used.map { now - $0 < options.followIdleTimeout } ?? false }
      return isUsed || cache.isFollowed(queue.dataset)
    }
  }

  /// Returns the lagging datasets that no task follows yet, up to the limit on concurrent
  /// followers, and marks them as being followed.
  private func claim(_ behind: [Behind]) -> [Behind] {
    var places = options.followersMax - residents().count { $0.status { $0.isBeingFollowed } }
    return behind.filter { behind in
      guard places > 0 else { return false }
      return behind.queue.status { status in
        if status.isBeingFollowed { return false }
        status.isBeingFollowed = true
        places -= 1
        return true
      }
    }
  }

  /// Makes the checkpoints that are due, and evicts datasets if the file is too large.
  private func keepUp(_ logger: Logger) {
    if reasonNotToTry == nil {
      note(
        makeCheckpoints().map { ("checkpoint of \($0.dataset)", $0.error) }, of: "checkpoint",
        logger)
    }
    note({ try evictUnused() }, of: "eviction", logger)
  }

  /// Makes a checkpoint of each resident dataset that has changed enough since the last one,
  /// unless another node does so, and cuts the log before an earlier one.
  ///
  /// - Returns: The datasets whose checkpoint or cut failed, with the errors. A failure does not
  ///   affect other datasets.
  package func makeCheckpoints() -> [(dataset: String, error: any Error)] {
    var changed = residents().filter { $0.status { $0.takeMayBeDue() } }[...]
    var failures: [(dataset: String, error: any Error)] = []
    while !changed.isEmpty {
      let part = changed.prefix(Self.checkedMax)
      changed = changed.dropFirst(Self.checkedMax)
      do {
        failures += try makeCheckpoints(of: Array(part))
      } catch {
        // The log is unavailable, which the poll reports.
        for queue in part + changed { queue.status { $0.mayBeDue = true } }
        break
      }
    }
    return failures
  }

  /// The maximum number of datasets whose heads are read at a time.
  private static let checkedMax = 1_000

  private func makeCheckpoints(
    of queues: [DatasetCommitQueue]
  ) throws -> [(dataset: String, error: any Error)] {
    if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
    let known = queues.compactMap { queue in
      queue.status { $0.reached }.map { (queue, id: $0.dataset) }
    }
    let heads = Dictionary(
      try read { try $0.look(at: known.map(\.id)) }.heads.map { ($0.position.dataset, $0) }
    ) { first, _ in first }
    return known.compactMap { queue, id in
      do {
        if let head = heads[id] { try makeCheckpointIfDue(of: queue, head) }
        return nil
      } catch {
        // Made again once this node's claim has expired.
        queue.status { $0.mayBeDue = true }
        return (queue.dataset, error)
      }
    }
  }

  private func makeCheckpointIfDue(of queue: DatasetCommitQueue, _ head: SharedHead) throws {
    guard head.mayNeedCheckpoint,
      head.needsCheckpoint(itemCount: try cache.dataset(queue.dataset).itemCount)
    else { return }
    let isClaimed = try writing {
      try store.claimCheckpoint(of: head.position.dataset, for: Self.claimSeconds)
    }
    guard isClaimed else { return queue.status { $0.mayBeDue = true } }
    // The log may already have a checkpoint there.
    if try checkpoint(queue.dataset) != nil {
      counters.checkpoints.add()
      try cutLog(of: queue.dataset)
    }
  }

  /// The time after which another node makes a checkpoint that this one has begun.
  private static let claimSeconds = 600.0

  /// Evicts the least recently used datasets until the file and its write-ahead log are within
  /// the limit.
  package func evictUnused() throws {
    guard let diskBytes = options.diskBytes, try cache.usedBytes() > diskBytes else { return }
    try cache.emptyWriteAheadLog()
    if try cache.usedBytes() <= diskBytes { return }
    let now = options.now()
    let unused = residents().map { ($0, used: $0.status { $0.used }) }
      .filter { $0.used.map { now - $0 >= options.upkeepInterval } ?? true }
      .sorted { ($0.used ?? .zero) < ($1.used ?? .zero) }
    for (queue, _) in unused where !cache.isFollowed(queue.dataset) {
      try evict(queue.dataset)
      counters.evictions.add()
      // The deletion was written to the log first. If readers need the log, the used space is not
      // known: the next call continues.
      guard try cache.emptyWriteAheadLog() else { return }
      // Leave some space, so that the next dataset does not immediately evict another.
      if try cache.usedBytes() <= diskBytes / 10 * 9 { return }
    }
  }

  private func sweep(_ logger: Logger) {
    note(
      { _ = try writing { try store.sweepArchives(olderThan: Self.orphanSeconds) } },
      of: "sweep of unfinished archives", logger)
  }

  /// The age of an archive, in seconds, that no running import reaches.
  private static let orphanSeconds = 86_400.0
}
