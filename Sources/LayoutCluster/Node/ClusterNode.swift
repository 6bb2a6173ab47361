package import LayoutCache
import LayoutGeometry
import Synchronization
import Threads

/// A node of a cluster: its cache follows a log that it shares with others, and commits its changes
/// there.
///
/// The log is the truth, and the node's file a cache of it that may be deleted. A dataset is
/// **resident** if the file has it. One thread at a time works on a dataset's log
/// (``DatasetCommitQueue``); queries need none of that, and are answered from the file.
package final class ClusterNode: ChangeCoordinator {
  /// 16 bytes that name the node.
  package let name: [UInt8]
  package let options: ClusterOptions
  /// The name of the log.
  package let log: [UInt8]
  let store: any SharedLog
  let cache: LayoutCache
  let contact: Mutex<LogContact>
  private let counts = Mutex(NodeCounts())
  /// The threads for the work of ``run(_:)``: one for each dataset that is followed, the poll,
  /// the upkeep and the sweep. That work waits for the log, so it does not take the cache's
  /// threads from queries.
  let threads: WorkerThreads
  /// What changes of several datasets have to append at one time goes in one call.
  let appends: Batcher<SharedAppend, Result<SharedAppending, any Error>>
  /// Entries that are to be applied at one time go in one transaction of the file.
  let runs: Batcher<LayoutCache.EntryRun, Result<[AppliedChange], any Error>>

  /// The datasets that are gathered at most.
  private static let gatheredMax = 16

  private struct State {
    var queues: [ExactKey: Place] = [:]
  }

  /// A queue, and how many are about to enter it or have.
  private struct Place {
    let queue: DatasetCommitQueue
    var userCount = 0
  }

  private let state = Mutex(State())

  /// Makes a cache a node of the log's cluster.
  ///
  /// - Precondition: The cache is used by nobody yet.
  /// - Throws: ``SharedLogFailure``; ``ClusterError`` with `hasOwnDatasets` for a file with
  ///   datasets that follow no log; ``LayoutCacheError``.
  package init(
    _ name: [UInt8], of store: any SharedLog, on cache: LayoutCache,
    options: ClusterOptions = ClusterOptions()
  ) throws {
    self.name = name
    self.store = store
    self.cache = cache
    self.options = options
    threads = WorkerThreads(countMax: max(1, options.followersMax) + 3)
    let (following, own) = try cache.replicas()
    guard own.isEmpty else { throw ClusterError.hasOwnDatasets(own) }
    let known = following.first?.log
    let log: [UInt8]
    var contact = LogContact()
    do {
      log = try store.read(node: name) { try $0.info() }.incarnation
    } catch SharedLogFailure.unavailable(let reason) {
      // What the file has can be read in the meantime.
      guard let known else { throw SharedLogFailure.unavailable(reason) }
      log = known
      contact.didFail(reason, at: options.now())
    }
    self.log = log
    self.contact = Mutex(contact)
    appends = Batcher(countMax: Self.gatheredMax) { store.append($0) }
    runs = Batcher(countMax: Self.gatheredMax) { Self.apply($0, in: log, by: cache) }
    cache.join(self)
    for replica in following {
      // Of a log that there was before a backup was restored.
      guard replica.log == log else {
        try cache.forget(replica.name)
        continue
      }
      withQueue(of: replica.name) { queue in queue.status { $0.arrive(at: replica.position) } }
    }
  }

  /// The changes that go into the log together at most: so many threads may wait for it at once
  /// with profit.
  package static var groupMax: Int { DatasetCommitQueue.groupMax }

  // MARK: Rooms

  /// Runs `body` with the place where a dataset's log is dealt with. It is kept as long as
  /// somebody uses it or the dataset is resident.
  func withQueue<R>(of dataset: String, _ body: (DatasetCommitQueue) throws -> R) rethrows -> R {
    let key = ExactKey(dataset)
    let queue = state.withLock { state in
      var place = state.queues[key] ?? Place(queue: makeQueue(of: dataset))
      place.userCount += 1
      state.queues[key] = place
      return place.queue
    }
    defer {
      state.withLock { state in
        state.queues[key]?.userCount -= 1
        if state.queues[key]?.userCount == 0, queue.status({ $0.reached == nil }) {
          state.queues[key] = nil
        }
      }
    }
    return try body(queue)
  }

  /// The place of a dataset that is resident, or in use.
  func queueIfKnown(of dataset: String) -> DatasetCommitQueue? {
    state.withLock { $0.queues[ExactKey(dataset)]?.queue }
  }

  /// How many datasets are resident or in use.
  package var queueCount: Int { state.withLock { $0.queues.count } }

  /// The places of all datasets that are resident.
  func residents() -> [DatasetCommitQueue] {
    state.withLock { state in
      state.queues.values.lazy.map(\.queue).filter { $0.status { $0.reached != nil } }
    }
  }

  private func makeQueue(of dataset: String) -> DatasetCommitQueue {
    // The node has its queues.
    DatasetCommitQueue(of: dataset) { [unowned self] tickets in
      commit(tickets, in: tickets[0].queue)
    }
  }

  /// Runs `body` alone among the threads that work on a dataset's log.
  func alone<R: Sendable>(
    with dataset: String, _ body: @escaping @Sendable (DatasetCommitQueue) throws -> R
  ) throws -> R {
    try withQueue(of: dataset) { queue in try queue.run { try body(queue) } }
  }

  /// Notes what the node does.
  func count<R>(_ body: (inout NodeCounts) -> R) -> R { counts.withLock { body(&$0) } }

  // MARK: Changes

  package func commit(
    _ request: ChangeRequest, to dataset: String
  ) throws -> ChangeOutcome {
    var request = request
    request.proposal = .risingName()
    return try withQueue(of: dataset) { try $0.commit(request) }
  }

  package func freshLayoutID() throws -> Int64 {
    try Self.mapped {
      if let reason = reasonNotToTry ?? reasonOfRules {
        throw SharedLogFailure.unavailable(reason)
      }
      return try writing { try store.freshLayoutID() }
    }
  }

  // MARK: Errors

  /// Runs `body`, and throws the library's errors for those of the log.
  ///
  /// - Parameter dataset: The dataset that an archive of `body` is made for, if any: where it is
  ///   deleted, because everything took too long, the import begins again.
  static func mapped<R>(of dataset: String? = nil, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let failure as SharedLogFailure {
      if case .archiveDeleted = failure, let dataset {
        throw LayoutCacheError(.changedMeanwhile(dataset: dataset))
      }
      throw failure.asError
    }
  }
}

/// Why a cache can't be a node, or a node can't answer as it is asked to.
package enum ClusterError: Error, Hashable, Sendable {
  /// Its file has datasets that follow no log.
  case hasOwnDatasets([String])
  /// The node has not come as far as a reader wants, or what it has is older than that.
  case replicaBehind(String)
  /// A checkpoint and the entries after it do not lead to what a later one holds.
  case checkpointMisleads(dataset: String, from: Int, to: Int)
  /// A position is of another history: the dataset was removed, or the log restored.
  case diverged
}

extension SharedLogFailure {
  var asError: LayoutCacheError {
    switch self {
    case .unavailable(let reason): LayoutCacheError(.sharedLogIsAway(reason))
    case .unknown(let reason): LayoutCacheError(.outcomeIsUnknown(reason))
    case .incompatible(let reason): LayoutCacheError(.database(.corrupt, message: reason))
    case .rejected(let reason), .archiveDeleted(let reason):
      LayoutCacheError(.database(.inputOutput, message: "the shared log: \(reason)"))
    }
  }
}
