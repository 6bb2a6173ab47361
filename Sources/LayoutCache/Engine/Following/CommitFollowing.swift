import LayoutGeometry
import LayoutStore
import Synchronization

/// The datasets whose commits have listeners.
///
/// A commit of this process wakes the dataset's follower immediately. Commits of other processes
/// change the store's generation, which one task checks a few times a second for all datasets, as
/// long as there are listeners.
final class CommitFollowing: Sendable {
  private struct State {
    var followers: [ExactKey: CommitFollower] = [:]
    /// The task that checks for commits of other processes.
    var lookout: Task<Void, Never>?
    /// The store's generation at the last check; `nil` without followers.
    var generation: Int?
  }

  private let sources: CommitFollower.Sources
  private let state = Mutex(State())
  /// Whether there are listeners: the only check that each commit performs.
  private let hasFollowers = Atomic(false)

  init(_ sources: CommitFollower.Sources) { self.sources = sources }

  var memory: EventMemory { sources.memory }

  /// Admits a listener to the commits of a dataset.
  ///
  /// - Returns: The follower that has the listener, and the dataset's row and present revision.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `closed`, `database`.
  nonisolated(nonsending) func admit(
    _ listener: CommitListener, to dataset: String, after revision: Int?, incarnation: Incarnation?
  ) async throws -> (follower: CommitFollower, row: DatasetRow, revision: Int) {
    while true {
      let follower = follower(of: dataset)
      do {
        let admitted = try await withCheckedThrowingContinuation { continuation in
          let admission = CommitFollower.Admission(
            listener: listener, revision: revision, incarnation: incarnation,
            continuation: continuation)
          if !follower.admit(admission) { continuation.resume(returning: nil) }
        }
        if let admitted { return (follower, admitted.row, admitted.revision) }
        forget(follower, of: dataset)
      } catch {
        remove(listener, from: follower, of: dataset)
        throw error
      }
    }
  }

  func remove(_ listener: CommitListener, from follower: CommitFollower, of dataset: String) {
    listener.cancel()
    if follower.remove(listener) { forget(follower, of: dataset) }
  }

  /// Wakes the follower of a dataset after a commit of this process.
  func didCommit(to dataset: String) {
    guard hasFollowers.load(ordering: .acquiring) else { return }
    state.withLock { $0.followers[ExactKey(dataset)] }?.wake()
  }

  /// Returns the numbers of listeners of a dataset's layouts that have any.
  func layouts(of dataset: String) -> [ExactKey: Int] {
    guard hasFollowers.load(ordering: .acquiring) else { return [:] }
    return state.withLock { $0.followers[ExactKey(dataset)] }?.layouts ?? [:]
  }

  /// Returns whether a dataset has listeners.
  func isFollowed(_ dataset: String) -> Bool {
    guard hasFollowers.load(ordering: .acquiring) else { return false }
    return state.withLock { $0.followers[ExactKey(dataset)] != nil }
  }

  /// Wakes all followers after a change of templates by this process.
  func didChangeTemplates() {
    for follower in state.withLock({ Array($0.followers.values) }) { follower.wake() }
  }

  /// Checks for commits of other processes.
  func look() {
    let generation = sources.store.foreignGeneration()
    let followers = state.withLock { state -> [CommitFollower] in
      guard state.generation != generation else { return [] }
      state.generation = generation
      return Array(state.followers.values)
    }
    for follower in followers { follower.wake() }
  }

  /// Ends all listeners, because the store is being closed.
  func end() {
    let followers = state.withLock { state in
      defer { state.followers = [:] }
      stopLooking(&state)
      return Array(state.followers.values)
    }
    for follower in followers { follower.end() }
  }

  /// The number of commits read for the present listeners.
  var commitCount: Int {
    state.withLock { state in
      state.followers.values.reduce(0) { $0 + $1.commitCount.load(ordering: .relaxed) }
    }
  }

  /// The number of followed datasets.
  var followerCount: Int { state.withLock { $0.followers.count } }

  deinit { state.withLock { $0.lookout?.cancel() } }
}

extension CommitFollowing {
  private func follower(of dataset: String) -> CommitFollower {
    state.withLock { state in
      let key = ExactKey(dataset)
      if let follower = state.followers[key] { return follower }
      let follower = CommitFollower(dataset, sources)
      state.followers[key] = follower
      hasFollowers.store(true, ordering: .releasing)
      if state.generation == nil { startLooking(&state) }
      return follower
    }
  }

  private func forget(_ follower: CommitFollower, of dataset: String) {
    state.withLock { state in
      guard state.followers[ExactKey(dataset)] === follower else { return }
      state.followers[ExactKey(dataset)] = nil
      if state.followers.isEmpty { stopLooking(&state) }
    }
  }

  private func startLooking(_ state: inout State) {
    state.generation = sources.store.foreignGeneration()
    guard let interval = sources.lookInterval else { return }
    state.lookout = Task.detached(executorPreference: sources.executor) { [weak self] in
      while !Task.isCancelled {
        // Sleeping throws only on cancellation.
        do { try await Task.sleep(for: interval) } catch { return }
        self?.look()
      }
    }
  }

  private func stopLooking(_ state: inout State) {
    hasFollowers.store(false, ordering: .releasing)
    state.lookout?.cancel()
    (state.lookout, state.generation) = (nil, nil)
  }
}
