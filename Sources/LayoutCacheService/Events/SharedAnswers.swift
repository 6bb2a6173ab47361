import LayoutCache
import LayoutGeometry
import Synchronization
import Threads

/// The answers to polls for changes. Most clients wait for the same commit and share one
/// answer, which is computed once.
final class SharedAnswers: Sendable {
  /// The parameters of a poll.
  struct Key: Hashable {
    private let dataset: ExactKey
    private let since: Int
    private let layout: ExactKey?
    private let incarnation: Incarnation?

    init(dataset: String, since: Int, layout: String?, incarnation: Incarnation?) {
      self.dataset = ExactKey(dataset)
      (self.since, self.incarnation) = (since, incarnation)
      self.layout = layout.map(ExactKey.init)
    }
  }

  struct Answer {
    /// The time when its computation began: it covers everything committed before.
    let begun: ContinuousClock.Instant
    let revision: Int
    /// Whether the client's revision is of another dataset that had the name.
    let isOfOtherHistory: Bool
    let text: SharedEvent
  }

  /// The number of cached answers. Their memory is that of the events.
  private static let countMax = 16

  private let answers = Mutex<[(key: Key, answer: Answer)]>([])
  private let locks = AsyncKeyedLock<Key>()

  /// Returns the answer to a poll that several clients may share, computed for the first of them.
  ///
  /// - Parameters:
  ///   - instant: The earliest start of the computation of an acceptable answer.
  ///   - revision: The lowest acceptable revision.
  /// - Throws: The errors of `make`; `CancellationError`.
  func answer(
    to key: Key, notBefore instant: ContinuousClock.Instant, revision: Int,
    make: () async throws -> Answer
  ) async throws -> Answer {
    while true {
      let known = answers.withLock { $0.first { $0.key == key }?.answer }
      if let known, known.begun >= instant, known.revision >= revision,
        case .text = known.text.content
      {
        return known
      }
      guard try await locks.acquireOrWait(key) else {
        try Task.checkCancellation()
        continue
      }
      defer { locks.release(key) }
      let made = try await make()
      answers.withLock { answers in
        answers.removeAll { $0.key == key }
        answers.append((key, made))
        if answers.count > Self.countMax { answers.removeFirst() }
      }
      return made
    }
  }
}
