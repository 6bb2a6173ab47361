import Synchronization

/// A bounded number of places for what continues for as long as its client does: event streams,
/// imports and exports.
final class Places: Sendable {
  /// A place that is taken; free again when it goes.
  final class Place: Sendable {
    private let places: Places

    fileprivate init(_ places: Places) { self.places = places }

    deinit { places.count.withLock { $0 -= 1 } }
  }

  private let max: Int
  private let kind: ProblemKind
  private let noun: String
  private let count = Mutex(0)

  /// - Parameters:
  ///   - kind: The problem where all are taken.
  ///   - noun: What takes a place, in the plural.
  init(max: Int, _ kind: ProblemKind, of noun: String) {
    self.max = max
    self.kind = kind
    self.noun = noun
  }

  /// Takes a place.
  ///
  /// - Throws: ``Problem`` with 503 where there is none.
  func take() throws -> Place {
    try count.withLock { count in
      if count >= max { throw Problem(kind, "\(count) \(noun) are under way") }
      count += 1
    }
    return Place(self)
  }
}
