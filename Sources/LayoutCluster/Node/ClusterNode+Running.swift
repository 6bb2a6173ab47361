import LayoutCache
package import Logging

// What a node does by itself: it follows the log with the datasets that somebody uses, makes
// checkpoints, and lets datasets go that nobody asks for.

extension ClusterNode {
  /// Works until the task is cancelled.
  ///
  /// - Throws: ``ClusterError`` with `diverged` where another log is in place of the node's,
  ///   as after a restore: the node has to be started again.
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

  /// Runs `body` again and again until the task is cancelled.
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

  // MARK: Following

  private func followUsed(_ logger: Logger) async throws {
    var wasAway = false
    try await withThrowingDiscardingTaskGroup { group in
      while !Task.isCancelled {
        switch await onThread({ Result { try self.look(at: self.usedQueues()) } }) {
        case .success(let behind):
          if wasAway { logger.notice("The shared log answers again.") }
          wasAway = false
          for behind in claim(behind) {
            group.addTask {
              await self.onThread {
                defer { behind.queue.status { $0.isBeingFollowed = false } }
                // What was not reached is tried at the next look.
                try? self.follow(behind)
              }
            }
          }
        case .failure(let error):
          if let error = error as? ClusterError { throw error }
          if !wasAway { logger.warning("The shared log is away.", metadata: ["error": "\(error)"]) }
          wasAway = true
        }
        try? await Task.sleep(for: options.pollInterval)
      }
    }
  }

  /// The datasets that somebody has asked for lately, or listens to.
  private func usedQueues() -> [DatasetCommitQueue] {
    let now = options.now()
    return residents().filter { queue in
      let isUsed = queue.status { $0.used.map { now - $0 < options.followedFor } ?? false }
      return isUsed || cache.isFollowed(queue.dataset)
    }
  }

  /// Of what is behind that which nobody follows yet, as much as may be followed at once.
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

  // MARK: Upkeep

  /// Makes the checkpoints that are due, and lets datasets go where the file is too long.
  private func keepUp(_ logger: Logger) {
    for (dataset, error) in makeCheckpoints() {
      logger.warning(
        "No checkpoint was made.", metadata: ["dataset": "\(dataset)", "error": "\(error)"])
    }
    do {
      try evictUnused()
    } catch {
      logger.warning("No dataset was taken out of the file.", metadata: ["error": "\(error)"])
    }
  }

  /// Makes a checkpoint of each dataset that has changed enough, and cuts the log after an
  /// earlier one. The node that has the last word does so; others leave it to that.
  ///
  /// - Returns: The datasets of which none was made, or the log not cut, and why: they keep no
  ///   others from it.
  package func makeCheckpoints() -> [(dataset: String, error: any Error)] {
    residents().compactMap { queue in
      // Each would wait for it.
      if reasonNotToTry != nil { return nil }
      do {
        try makeCheckpointIfDue(of: queue)
        return nil
      } catch {
        return (queue.dataset, error)
      }
    }
  }

  private func makeCheckpointIfDue(of queue: DatasetCommitQueue) throws {
    let (tail, hasLastWord) = queue.status { ($0.tail, $0.hasLastWord) }
    guard hasLastWord, tail.mayBeDue,
      tail.isDue(itemCount: try cache.dataset(queue.dataset).itemCount)
    else { return }
    // There may be one already.
    if try checkpoint(queue.dataset) != nil {
      count { $0.checkpointCount += 1 }
      try cutLog(of: queue.dataset)
    }
    queue.status { $0.didMakeCheckpoint(tail) }
  }

  /// Takes datasets out of the file that nobody has used for longest, until the file holds no
  /// more than it may.
  package func evictUnused() throws {
    guard let diskBytes = options.diskBytes, try cache.usedBytes() > diskBytes else { return }
    let now = options.now()
    let unused = residents().map { ($0, used: $0.status { $0.used }) }
      .filter { $0.used.map { now - $0 >= options.upkeepInterval } ?? true }
      .sorted { ($0.used ?? .zero) < ($1.used ?? .zero) }
    for (queue, _) in unused where !cache.isFollowed(queue.dataset) {
      try evict(queue.dataset)
      count { $0.evictedCount += 1 }
      // Some space, so that the next dataset does not send another away at once.
      if try cache.usedBytes() <= diskBytes / 10 * 9 { return }
    }
  }

  private func sweep(_ logger: Logger) {
    do {
      _ = try writing { try store.sweepArchives(olderThan: Self.orphanSeconds) }
    } catch {
      logger.info("What nobody finished was not swept.", metadata: ["error": "\(error)"])
    }
  }

  /// Longer than any import takes.
  private static let orphanSeconds = 86_400.0
}
