import LayoutGeometry
import Synchronization

/// A limit on concurrent work that lasts as long as its client: event streams, imports and
/// exports. One client cannot hold all permits for transfers.
final class Places: Sendable {
  /// A permit, returned when the object is deallocated.
  final class Place: Sendable {
    fileprivate let work: Work
    private let places: Places

    fileprivate init(_ work: Work, _ places: Places) { (self.work, self.places) = (work, places) }

    deinit { places.held.withLock { held in held.removeAll { $0 === work } } }
  }

  /// The work of a client that holds a permit.
  fileprivate final class Work: Sendable {
    let client: String
    let end: @Sendable () -> Void

    init(_ client: String, _ end: @escaping @Sendable () -> Void) {
      (self.client, self.end) = (client, end)
    }
  }

  private let max: Int
  /// The permits of one client.
  private let ownMax: Int
  private let kind: ProblemKind
  private let noun: String
  private let held = Mutex<[Work]>([])

  /// - Parameters:
  ///   - isShared: Whether one client may hold all permits.
  ///   - kind: The problem if all permits are taken.
  ///   - noun: The limited work, in the plural, for the message.
  init(max: Int, isShared: Bool = false, _ kind: ProblemKind, of noun: String) {
    (self.max, self.kind, self.noun) = (max, kind, noun)
    ownMax = isShared ? max : Swift.max(1, max - 1)
  }

  /// The number of permits in use.
  var takenCount: Int { held.withLock { $0.count } }

  /// Acquires a permit.
  ///
  /// - Parameters:
  ///   - client: The client, as ``ServiceRequest/client`` names it.
  ///   - end: Ends the work with ``endAll()``.
  /// - Throws: ``Problem`` with 503 if none is free.
  func take(for client: String, end: @escaping @Sendable () -> Void = {}) throws -> Place {
    let work = Work(client, end)
    try held.withLock { held in
      let ownCount = held.count { $0.client.isExactly(client) }
      guard held.count < max, ownCount < ownMax else {
        let limit = held.count < max ? "\(ownMax) \(noun) of one client" : "\(max) \(noun)"
        throw Problem(kind, "the limit of \(limit) is reached")
      }
      held.append(work)
    }
    return Place(work, self)
  }

  /// Asks all work to end.
  func endAll() { for work in held.withLock({ $0 }) { work.end() } }
}
