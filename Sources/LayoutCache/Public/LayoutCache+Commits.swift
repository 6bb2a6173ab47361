import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// Returns the commits to a dataset from now on, or after a revision. Commits of this cache
  /// arrive immediately, those of other processes within a second.
  ///
  ///     for try await event in try await cache.commits(of: "news", layouts: ["phone"]) {
  ///       if case .commit(let commit) = event { send(commit) }
  ///     }
  ///
  /// Each revision is delivered once, in order. Its contexts are those that the commit returned,
  /// without ``InvalidationContext/contentOffsetAdjustment``: commits of this cache update the
  /// layouts that have listeners, and those of other processes are followed. The context is
  /// "everything" for an import, for a layout that was not laid out yet, and for commits that it
  /// caught up with together. A layout's
  /// incarnation is that of its stored result, or empty without a result. Another configuration of
  /// one of the layouts, or of any if none is named, is a ``CommitEvent/layout(_:incarnation:)``.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - layouts: The layouts whose contexts are delivered.
  ///   - revision: The last revision that the listener knows. Later revisions are delivered
  ///     first, if the log reaches back that far and the queue holds them; otherwise a reset is
  ///     delivered.
  ///   - incarnation: The dataset's incarnation that the revision belongs to; a different one
  ///     causes a reset.
  ///   - queueCountMax: The maximum number of pending events, at least 1. One more replaces all
  ///     pending events with a reset. The pending events of all listeners of a cache together
  ///     take at most 64 MiB: beyond that, the oldest ones are replaced with resets, and so is
  ///     a single commit that exceeds the limit.
  /// - Returns: The events, for one loop. Releasing the sequence, ending the loop or cancelling
  ///   its task ends the subscription.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `limit` if
  ///   `queueCountMax` is below 1, `closed`, `database`.
  public nonisolated(nonsending) func commits(
    of dataset: String, layouts: [String] = [], after revision: Int? = nil,
    incarnation: Incarnation? = nil, queueCountMax: Int = 256
  ) async throws -> Commits {
    try await commits(
      of: dataset, CommitListener.Audience(layouts: layouts), after: revision,
      incarnation: incarnation, queueCountMax: queueCountMax)
  }

  /// As the public call, with commits encoded once for all listeners with the same encoding.
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
    let (follower, row, present) = try await followingTemplatesInTask(dataset) {
      try await following.admit(listener, to: dataset, after: revision, incarnation: incarnation)
    }
    let subscription = Commits.Subscription(
      cache: self, dataset: dataset, follower: follower, listener: listener)
    return Commits(subscription, revision: present, incarnation: Incarnation(row.incarnation))
  }

  /// Counts an encoded text that waits for a client against the memory limit of the events.
  package func share(_ text: [UInt8], of changes: DatasetChanges) -> SharedEvent {
    following.memory.share(
      .text(text), bytes: text.count,
      orReset: .reset(revision: changes.revision, incarnation: changes.incarnation))
  }
}

/// The commits to a dataset, encoded once for all listeners.
package struct WrittenCommits: AsyncSequence, Sendable {
  fileprivate let commits: Commits

  /// The dataset's revision at the time of the subscription.
  package var revision: Int { commits.revision }

  package func makeAsyncIterator() -> Iterator { Iterator(commits: commits.makeAsyncIterator()) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let commits: Commits.Iterator

    package mutating func next() async throws -> SharedEvent? {
      try await commits.subscription.listener.next()
    }
  }
}

/// The stream of commits to a dataset; see
/// ``LayoutCache/LayoutCache/commits(of:layouts:after:incarnation:queueCountMax:)``.
///
/// The sequence ends after ``CommitEvent/gone``, and when the cache is closed. If the file
/// can't be read, it throws a ``LayoutCacheError``. A live sequence keeps the cache open,
/// except after ``LayoutCache/LayoutCache/close()``.
public struct Commits: AsyncSequence, Sendable {
  /// The dataset's revision at the time of the subscription.
  public let revision: Int
  /// The dataset's incarnation.
  public let incarnation: Incarnation
  private let subscription: Subscription

  fileprivate init(_ subscription: Subscription, revision: Int, incarnation: Incarnation) {
    self.subscription = subscription
    self.revision = revision
    self.incarnation = incarnation
  }

  /// Returns an iterator. Several iterators share the events: each event goes to one of them.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// An iterator over the events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Returns the next event; `nil` after the last one, and if the task is cancelled.
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

  /// A registered listener, removed on deinitialization.
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
