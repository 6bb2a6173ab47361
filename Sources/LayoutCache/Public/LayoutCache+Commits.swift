import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// The commits to a dataset from now on, or after a revision: those of this cache at
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
  ///   - revision: The last revision that the listener knows. Those after it come first, as
  ///     far as the log and the queue reach, or else a reset. Contexts are exact from the
  ///     dataset's last checkpoint on, and "everything" before.
  ///   - incarnation: The dataset's incarnation that the revision belongs to; another one
  ///     gives a reset.
  ///   - queueCountMax: The events that may wait to be taken, at least 1; with one more, all
  ///     that wait give way to a reset. The events that wait for all listeners of a cache together
  ///     take at most 64 MiB: with more, the oldest ones give way to resets, and so does a commit
  ///     that takes more by itself.
  /// - Returns: The events, for one loop. Who lets go of them, or ends the loop, or whose task
  ///   is cancelled, listens no more.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `limit` for a queue
  ///   without room, `closed`, `database`.
  public nonisolated(nonsending) func commits(
    of dataset: String, layouts: [String] = [], after revision: Int? = nil,
    incarnation: Incarnation? = nil, queueCountMax: Int = 256
  ) async throws -> Commits {
    try await commits(
      of: dataset, CommitListener.Audience(layouts: layouts), after: revision,
      incarnation: incarnation, queueCountMax: queueCountMax)
  }

  /// As the public call, of commits that are written once for all who have them written so.
  package nonisolated(nonsending) func commits(
    of dataset: String, layouts: [String] = [], after revision: Int? = nil,
    incarnation: Incarnation? = nil, queueCountMax: Int, writtenBy writer: any CommitWriting.Type
  ) async throws -> WrittenCommits {
    WrittenCommits(
      commits: try await commits(
        of: dataset, CommitListener.Audience(layouts: layouts, writer: writer), after: revision,
        incarnation: incarnation, queueCountMax: queueCountMax))
  }

  private nonisolated(nonsending) func commits(
    of dataset: String, _ audience: CommitListener.Audience, after revision: Int?,
    incarnation: Incarnation?, queueCountMax: Int
  ) async throws -> Commits {
    try mappingErrors(path) {
      try Limits.check(queueCountMax, in: 1...Int.max, as: "queueCountMax")
    }
    let listener = CommitListener(audience, queueCountMax: queueCountMax)
    let (follower, row, present) = try await following.admit(
      listener, to: dataset, after: revision, incarnation: incarnation)
    let subscription = Commits.Subscription(
      cache: self, dataset: dataset, follower: follower, listener: listener)
    return Commits(
      subscription, revision: present, incarnation: Incarnation(row.incarnation))
  }

  /// Shares a text that waits for a client, in the memory of the events.
  package func share(_ text: [UInt8], of changes: DatasetChanges) -> SharedEvent {
    following.memory.share(
      .text(text), bytes: text.count,
      orReset: .reset(revision: changes.revision, incarnation: changes.incarnation))
  }
}

/// The commits to a dataset, as texts that are there once for all who listen.
package struct WrittenCommits: AsyncSequence, Sendable {
  fileprivate let commits: Commits

  /// The dataset's revision when they were asked for.
  package var revision: Int { commits.revision }

  package func makeAsyncIterator() -> Iterator { Iterator(commits: commits.makeAsyncIterator()) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let commits: Commits.Iterator

    package mutating func next() async throws -> SharedEvent? {
      try await commits.subscription.listener.next()
    }
  }
}

/// The commits to a dataset, as they come; see
/// ``LayoutCache/LayoutCache/commits(of:layouts:after:incarnation:queueCountMax:)``.
///
/// They end after ``CommitEvent/gone``, and when the cache is closed. Where the file can't be
/// read they end with a ``LayoutCacheError``. The cache stays open as long as somebody has
/// them, but for ``LayoutCache/LayoutCache/close()``.
public struct Commits: AsyncSequence, Sendable {
  /// The dataset's revision when they were asked for.
  public let revision: Int
  /// The name of the dataset's history.
  public let incarnation: Incarnation
  private let subscription: Subscription

  fileprivate init(_ subscription: Subscription, revision: Int, incarnation: Incarnation) {
    self.subscription = subscription
    self.revision = revision
    self.incarnation = incarnation
  }

  /// Takes the events; several iterators share them.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// Takes one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// The next event; `nil` after the last one, and where the task is cancelled.
    ///
    /// - Throws: ``LayoutCacheError`` with `database`.
    public mutating func next() async throws -> CommitEvent? {
      try await subscription.nextEvent()
    }

    /// As ``next()``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> CommitEvent? {
      try await subscription.nextEvent()
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

    nonisolated(nonsending) func nextEvent() async throws -> CommitEvent? {
      guard let event = try await listener.next() else { return nil }
      guard case .event(let event) = event.content else {
        preconditionFailure("commits are written for listeners that take texts")
      }
      return event
    }

    deinit { cache.following.remove(listener, from: follower, of: dataset) }
  }
}
