import LayoutCache
import Synchronization
import Threads

/// The answers to clients that ask what has changed: most have waited for the same commit, and
/// get one answer, which is computed once.
final class SharedAnswers: Sendable {
  /// The question.
  struct Key: Hashable {
    // Bytes: names that look the same are different ones.
    private let dataset: [UInt8]
    private let since: Int
    private let layout: [UInt8]?

    init(dataset: String, since: Int, layout: String?) {
      self.dataset = Array(dataset.utf8)
      self.since = since
      self.layout = layout.map { Array($0.utf8) }
    }
  }

  struct Answer {
    /// When its computation began: it has all that was committed before.
    let begun: ContinuousClock.Instant
    let revision: Int
    let text: SharedEvent
  }

  /// The answers that are stored for those who ask next. Their memory is that of the events.
  private static let countMax = 16

  private let answers = Mutex<[(key: Key, answer: Answer)]>([])
  private let locks = AsyncKeyedLock<Key>()

  /// The answer to a question that several clients may ask, computed for the first of them.
  ///
  /// - Parameters:
  ///   - instant: No answer is given whose computation began earlier.
  ///   - revision: Nor one of an earlier revision.
  /// - Throws: What `make` throws; `CancellationError`.
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
      guard await locks.acquireOrWait(key) else {
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
