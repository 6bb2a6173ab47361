import Synchronization

/// How many event streams are open.
final class StreamCount: Sendable {
  private let max: Int
  private let count = Mutex(0)

  init(max: Int) { self.max = max }

  var value: Int { count.withLock { $0 } }

  /// Notes that one opens.
  ///
  /// - Throws: ``Problem`` with 503 where there are too many.
  func open() throws {
    try count.withLock { count in
      if count >= max { throw Problem(.tooManyStreams, "\(count) event streams are open") }
      count += 1
    }
  }

  func close() { count.withLock { $0 -= 1 } }
}
