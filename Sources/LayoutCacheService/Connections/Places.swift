import Synchronization

/// A limit on concurrent work that lasts as long as its client: event streams, imports and
/// exports.
final class Places: Sendable {
  /// A permit, returned when the object is deallocated.
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
  ///   - kind: The problem if all permits are taken.
  ///   - noun: The limited work, in the plural, for the message.
  init(max: Int, _ kind: ProblemKind, of noun: String) {
    self.max = max
    self.kind = kind
    self.noun = noun
  }

  /// The number of permits in use.
  var takenCount: Int { count.withLock { $0 } }

  /// Acquires a permit.
  ///
  /// - Throws: ``Problem`` with 503 if none is free.
  func take() throws -> Place {
    try count.withLock { count in
      if count >= max { throw Problem(kind, "the limit of \(count) \(noun) is reached") }
      count += 1
    }
    return Place(self)
  }
}
