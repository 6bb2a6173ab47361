import Dispatch
package import LayoutCache
import LayoutGeometry
import LayoutReplication
import Synchronization
import Threads

/// A node of a cluster. Its cache follows a log shared with other nodes, and its changes are
/// committed there.
///
/// The log is the source of truth; the node's file is a cache of it and may be deleted. A dataset
/// is **resident** if the file has it. One thread at a time works on a dataset's log
/// (``DatasetCommitQueue``). Queries do not use the queue, and are answered from the file.
package final class ClusterNode: ChangeCoordinator {
  package let options: ClusterOptions
  /// The name of the log.
  package let log: [UInt8]
  let store: any SharedLog
  let cache: LayoutCache
  let availability: Mutex<LogAvailability>
  let counters = NodeCounters()
  /// The result of the last poll.
  let view = Mutex(LogView())
  /// The number of the last change of templates that the file has; `nil` until it is known to be this
  /// log's.
  let templates = Mutex<Int?>(nil)
  /// The entries that are being decided.
  let deciding: Mutex<DecisionRecord>
  /// Lets one entry at a time be decided that may have ended an earlier process.
  let suspects = DispatchSemaphore(value: 1)
  /// Reserved numbers for new layouts.
  let layoutIDs = Mutex<Range<Int64>>(0..<0)
  /// The threads for the work of ``run(_:)``: one per followed dataset, and one each for the
  /// poll, the upkeep and the sweep. That work waits for the log, so it does not use the cache's
  /// threads, which queries need.
  let threads: WorkerThreads
  /// The threads for readers that must ask the log, apart from those of changes that wait for it.
  let readThreads = WorkerThreads(countMax: 16)
  /// Lets one reader at a time ask the log for a dataset.
  let turns = AsyncKeyedLock<ExactKey>()
  /// The upkeep that failed last time.
  let failingUpkeep = Mutex<Set<String>>([])
  /// Names that the log does not have.
  let unknown = Mutex(UnknownNames())
  /// Combines concurrent appends to several datasets into one call.
  let appends: Batcher<SharedAppend, Result<SharedAppending, any Error>>
  /// Combines concurrent applications of entries into one transaction of the file.
  let runs: Batcher<LayoutCache.EntryRun, Result<[DecidedOutcome], any Error>>

  /// The maximum number of datasets per batch.
  private static let gatheredMax = 16
  /// The maximum number of batches of appends under way.
  private static let appendLanes = 2

  private struct State {
    var queues: [ExactKey: Place] = [:]
    /// The names of the resident datasets in the file, by number.
    var names: [Int64: String] = [:]
  }

  /// A queue, and the number of threads that use it or are about to.
  private struct Place {
    let queue: DatasetCommitQueue
    var userCount = 0
  }

  private let state = Mutex(State())

  /// Makes a cache a node of the log's cluster.
  ///
  /// - Precondition: The cache is not used yet.
  /// - Throws: ``SharedLogFailure``; ``ClusterError`` with `unsharedDatasets` for a file with
  ///   datasets that follow no log, `otherLog` for one with datasets of another log;
  ///   ``LayoutCacheError``.
  package init(
    of store: any SharedLog, on cache: LayoutCache, options: ClusterOptions = ClusterOptions()
  ) throws {
    (self.store, self.cache, self.options) = (store, cache, options)
    deciding = Mutex(DecisionRecord(of: options.storedDecisions))
    threads = WorkerThreads(countMax: max(1, options.followersMax) + 3)
    let (following, own) = try cache.replicas()
    guard own.isEmpty else { throw ClusterError.unsharedDatasets(own) }
    let known = following.first?.log
    let log: [UInt8]
    var availability = LogAvailability.connected
    do {
      log = try store.look(at: []).info.incarnation
    } catch SharedLogFailure.unavailable(let reason) {
      // The file can be read in the meantime.
      guard let known else { throw SharedLogFailure.unavailable(reason) }
      log = known
      availability.didFail(reason, at: options.now())
    }
    let others = following.filter { $0.log != log }.map(\.name)
    guard others.isEmpty || options.adoptsFile else { throw ClusterError.otherLog(others) }
    self.log = log
    self.availability = Mutex(availability)
    appends = Batcher(countMax: Self.gatheredMax, lanes: Self.appendLanes) { store.append($0) }
    runs = Batcher(countMax: Self.gatheredMax) { Self.decide($0, in: log, by: cache) }
    cache.join(self)
    for replica in following {
      guard replica.log == log else {
        try cache.forget(replica.name)
        continue
      }
      withQueue(of: replica.name) { queue in arrive(replica, queue) }
    }
  }

  /// The maximum number of changes per append: more threads than this waiting for the log gain
  /// nothing.
  package static var groupMax: Int { DatasetCommitQueue.groupMax }

  /// Runs `body` with a dataset's queue. The queue is retained as long as it is in use or the
  /// dataset is resident.
  func withQueue<R>(of dataset: String, _ body: (DatasetCommitQueue) throws -> R) rethrows -> R {
    let key = ExactKey(dataset)
    // All changes take this lock twice, so it is held for one search only.
    let queue = state.withLock { state in
      if let index = state.queues.index(forKey: key) {
        state.queues.values[index].userCount += 1
        return state.queues.values[index].queue
      }
      let queue = makeQueue(of: dataset)
      state.queues[key] = Place(queue: queue, userCount: 1)
      return queue
    }
    defer {
      state.withLock { state in
        if let index = state.queues.index(forKey: key) {
          state.queues.values[index].userCount -= 1
          if state.queues.values[index].userCount == 0, queue.status({ $0.reached == nil }) {
            state.queues.remove(at: index)
          }
        }
      }
    }
    return try body(queue)
  }

  /// Returns the queue of a dataset that is resident or in use.
  func queueIfKnown(of dataset: String) -> DatasetCommitQueue? {
    state.withLock { $0.queues[ExactKey(dataset)]?.queue }
  }

  /// The number of datasets that are resident or used by a thread.
  package var queueCount: Int { state.withLock { $0.queues.count } }

  func residents() -> [DatasetCommitQueue] {
    state.withLock { state in
      state.queues.values.lazy.map(\.queue).filter { $0.status { $0.reached != nil } }
    }
  }

  /// Records that a dataset is in the file.
  func arrive(_ replica: LayoutCache.Replica, _ queue: DatasetCommitQueue) {
    queue.status { $0.arrive(replica) }
    state.withLock { $0.names[replica.position.dataset] = queue.dataset }
  }

  /// Records that a dataset is no longer in the file, or is about to be reloaded.
  func leave(_ queue: DatasetCommitQueue) {
    let number = queue.status { status in
      defer { status.leave() }
      return status.reached?.dataset
    }
    guard let number else { return }
    state.withLock { state in
      if state.names[number]?.isExactly(queue.dataset) ?? false { state.names[number] = nil }
    }
  }

  /// Returns the name that a resident dataset has in the file.
  func residentName(of number: Int64) -> String? { state.withLock { $0.names[number] } }

  private func makeQueue(of dataset: String) -> DatasetCommitQueue {
    // The node owns its queues.
    DatasetCommitQueue(of: dataset) { [unowned self] tickets in
      commit(tickets, in: tickets[0].queue)
    }
  }

  /// Runs `body` exclusively among the threads that work on a dataset's log.
  func alone<R>(
    with dataset: String, _ body: (DatasetCommitQueue) throws -> R
  ) throws -> R {
    try withQueue(of: dataset) { queue in try queue.run { try body(queue) } }
  }

  /// Runs `body` exclusively among the threads that work on the log of one of two datasets. All
  /// callers wait for two queues in the same order.
  func alone<R>(
    with first: String, and second: String,
    _ body: (_ first: DatasetCommitQueue, _ second: DatasetCommitQueue) throws -> R
  ) throws -> R {
    if first.isExactly(second) { return try alone(with: first) { try body($0, $0) } }
    if second.utf8.lexicographicallyPrecedes(first.utf8) {
      return try alone(with: second, and: first) { try body($1, $0) }
    }
    return try alone(with: first) { first in
      try self.alone(with: second) { second in try body(first, second) }
    }
  }

  /// The number of layout IDs that are reserved at a time.
  private static let layoutIDBlock: Int64 = 64

  /// Returns a layout ID that the log has never used.
  func freshLayoutID() throws -> Int64 {
    if let id = layoutIDs.withLock({ $0.popFirst() }) { return id }
    return try Self.mapped {
      try requireLog()
      let first = try writing { try store.reserveLayoutIDs(Int(Self.layoutIDBlock)) }
      layoutIDs.withLock { $0 = first + 1..<first + Self.layoutIDBlock }
      return first
    }
  }

  /// Runs `body`, and maps errors of the log to the library's errors.
  ///
  /// - Parameter dataset: The dataset for which `body` stores an archive, if any. If the archive
  ///   is deleted because the import took too long, the error tells the caller to start again.
  static func mapped<R>(of dataset: String? = nil, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let failure as SharedLogFailure {
      if case .archiveDeleted = failure, let dataset {
        throw LayoutCacheError(.concurrentModification(dataset: dataset))
      }
      throw failure.asError
    }
  }
}

/// The reason why a cache cannot be a node, or a node cannot answer as requested.
package enum ClusterError: Error, Hashable, Sendable {
  /// The file has datasets that follow no log.
  case unsharedDatasets([String])
  /// The file has datasets of another log, or of this one from before a restore.
  case otherLog([String])
  /// The node's state is behind a reader's minimum position, or older than its maximum age.
  case replicaBehind(String)
  /// A checkpoint and the entries after it do not lead to the state of a later checkpoint.
  case checkpointMisleads(dataset: String, from: Int, to: Int)
  /// A position is of another history: the dataset was removed, or the log restored.
  case diverged
}
