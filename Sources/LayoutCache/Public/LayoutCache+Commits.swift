import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// The commits to a dataset from now on, or behind a revision: those of this cache at
  /// once, those of other processes within a second.
  ///
  ///     for try await event in try await cache.commits(of: "news", layouts: ["phone"]) {
  ///       if case .commit(let commit) = event { send(commit) }
  ///     }
  ///
  /// Each revision is told once, in order. Its contexts are replayed from the log, once for
  /// all listeners, and are those that the commit has returned, but for counts of work and
  /// ``InvalidationContext/contentOffsetAdjustment``. A layout that cannot be followed, as one
  /// that was not laid out yet, and all after an import, say "everything", with the incarnation
  /// of the result that there is, empty without one.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layouts: The layouts whose contexts are wanted.
  ///   - revision: The last revision that the listener knows. Those behind it come first, as
  ///     far as the log and the queue reach, or else a reset. Contexts are exact from the
  ///     dataset's last checkpoint on, and "everything" before.
  ///   - incarnation: The dataset's incarnation that the revision belongs to; another one
  ///     gives a reset.
  ///   - queueCountMax: The events that may wait to be taken, at least 1; with one more, all
  ///     that wait give way to a reset.
  /// - Returns: The events, for one loop. Who lets go of them, or ends the loop, or whose task
  ///   is cancelled, listens no more.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `limit` for a queue
  ///   without room, `closed`, `database`.
  public nonisolated(nonsending) func commits(
    of dataset: String, layouts: [String] = [], after revision: Int? = nil,
    incarnation: String? = nil, queueCountMax: Int = 256
  ) async throws -> Commits {
    try mappingErrors(path) {
      try Limits.check(queueCountMax, in: 1...Int.max, as: "queueCountMax")
    }
    let listener = CommitListener(layouts: layouts, queueCountMax: queueCountMax)
    let (follower, row, present) = try await following.admit(
      listener, to: dataset, after: revision, incarnation: incarnation)
    let subscription = Commits.Subscription(
      cache: self, dataset: dataset, follower: follower, listener: listener)
    return Commits(
      subscription, revision: present, incarnation: row.incarnation.description)
  }
}

/// The commits to a dataset, as they come; see
/// ``LayoutCache/LayoutCache/commits(of:layouts:after:incarnation:queueCountMax:)``.
///
/// They end behind ``CommitEvent/gone``, and when the cache is closed. Where the file can't be
/// read they end with a ``LayoutCacheError``. The cache stays open as long as somebody has
/// them, but for ``LayoutCache/LayoutCache/close()``.
public struct Commits: AsyncSequence, Sendable {
  /// The dataset's revision when they were asked for.
  public let revision: Int
  /// The name of the dataset's history.
  public let incarnation: String
  private let subscription: Subscription

  fileprivate init(_ subscription: Subscription, revision: Int, incarnation: String) {
    self.subscription = subscription
    self.revision = revision
    self.incarnation = incarnation
  }

  /// Takes the events; several iterators share them.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// Takes one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// The next event; `nil` behind the last one, and where the task is cancelled.
    ///
    /// - Throws: ``LayoutCacheError`` with `database`.
    public mutating func next() async throws -> CommitEvent? {
      try await subscription.listener.next()
    }

    /// As ``next()``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> CommitEvent? {
      try await subscription.listener.next()
    }
  }

  /// Listens as long as it is there.
  fileprivate final class Subscription: Sendable {
    let cache: LayoutCache
    let dataset: String
    let follower: CommitFollower
    let listener: CommitListener

    init(
      cache: LayoutCache, dataset: String, follower: CommitFollower, listener: CommitListener
    ) {
      self.cache = cache
      self.dataset = dataset
      self.follower = follower
      self.listener = listener
    }

    deinit { cache.following.remove(listener, from: follower, of: dataset) }
  }
}
