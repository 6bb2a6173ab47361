import Synchronization

/// How many event streams are open.
final class StreamCount: Sendable {
  /// A stream's place among those that may be open; free again when it goes.
  final class Place: Sendable {
    private let streams: StreamCount

    fileprivate init(_ streams: StreamCount) { self.streams = streams }

    deinit { streams.count.withLock { $0 -= 1 } }
  }

  private let max: Int
  private let count = Mutex(0)

  init(max: Int) { self.max = max }

  /// Takes a place.
  ///
  /// - Throws: ``Problem`` with 503 where there is none.
  func open() throws -> Place {
    try count.withLock { count in
      if count >= max { throw Problem(.tooManyStreams, "\(count) event streams are open") }
      count += 1
    }
    return Place(self)
  }
}
