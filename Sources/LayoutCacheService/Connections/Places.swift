import LayoutGeometry
import Synchronization

/// A limit on concurrent work that lasts as long as its client: event streams, imports and
/// exports.
///
/// One client cannot hold all permits for transfers, and a client that keeps one while it sends or
/// takes less than ``rateMin`` loses it to the next client that needs one.
final class Places: Sendable {
  /// A permit, returned when the object is deallocated.
  final class Place: Sendable {
    let work: Work
    private let places: Places

    fileprivate init(_ work: Work, _ places: Places) { (self.work, self.places) = (work, places) }

    deinit { places.held.withLock { held in held.removeAll { $0 === work } } }
  }

  /// The work of a client that holds a permit.
  final class Work: Sendable {
    fileprivate let client: String
    fileprivate let end: @Sendable () -> Void
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct Pace {
      /// The time for which the client was waited for, and the bytes that it has moved in it.
      var waited = Duration.zero
      var bytes = 0
      /// The time since which the client is waited for; `nil` while the work continues.
      var since: ContinuousClock.Instant?
      /// Whether the client was too slow when it was last measured.
      var wasSlow = false

      var isSlow: Bool { Double(bytes) < Double(Places.rateMin) * (waited / .seconds(1)) }
    }

    private let pace = Mutex(Pace())

    fileprivate init(
      _ client: String, _ now: @escaping @Sendable () -> ContinuousClock.Instant,
      _ end: @escaping @Sendable () -> Void
    ) { (self.client, self.now, self.end) = (client, now, end) }

    /// Notes that the client is expected to send or to take bytes from now on.
    func waits() { pace.withLock { $0.since = now() } }

    /// Notes the number of bytes that the client has sent or taken, and that the work continues.
    func moved(_ bytes: Int) {
      pace.withLock { pace in
        pace.waited += pace.since.map { $0.duration(to: now()) } ?? .zero
        pace.bytes += bytes
        pace.since = nil
        if pace.waited >= Places.patience { pace = Pace(wasSlow: pace.isSlow) }
      }
    }

    fileprivate var isSlow: Bool {
      pace.withLock { pace in
        // A client that has sent everything is no longer slow, however long the work takes.
        guard let since = pace.since else { return false }
        var pace = pace
        pace.waited += since.duration(to: now())
        return pace.wasSlow || pace.waited >= Places.patience && pace.isSlow
      }
    }
  }

  /// The minimum rate of a client in bytes per second, and the time over which it is measured.
  static let rateMin = 64 << 10
  static let patience = Duration.seconds(10)

  private let max: Int
  /// The permits of one client.
  private let ownMax: Int
  private let kind: ProblemKind
  private let noun: String
  private let now: @Sendable () -> ContinuousClock.Instant
  private let held = Mutex<[Work]>([])

  /// - Parameters:
  ///   - isShared: Whether one client may hold all permits.
  ///   - kind: The problem if all permits are taken.
  ///   - noun: The limited work, in the plural, for the message.
  init(
    max: Int, isShared: Bool = false, _ kind: ProblemKind, of noun: String,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.max, self.kind, self.noun, self.now) = (max, kind, noun, now)
    ownMax = isShared ? max : Swift.max(1, max - 1)
  }

  /// The number of permits in use.
  var takenCount: Int { held.withLock { $0.count } }

  /// Acquires a permit.
  ///
  /// - Parameters:
  ///   - client: The client, as ``ServiceRequest/client`` names it.
  ///   - end: Ends the work if the client loses the permit, or with ``endAll()``.
  /// - Throws: ``Problem`` with 503 if none is free.
  func take(for client: String, end: @escaping @Sendable () -> Void) throws -> Place {
    let work = Work(client, now, end)
    let slow = try held.withLock { held -> Work? in
      let ownCount = held.count { $0.client.isExactly(client) }
      var slow: Work?
      if ownCount >= ownMax || held.count >= max {
        let index = held.firstIndex {
          (ownCount < ownMax || $0.client.isExactly(client)) && $0.isSlow
        }
        guard let index else {
          let limit =
            held.count < max ? "\(ownMax) \(noun) of one client" : "\(max) \(noun)"
          throw Problem(kind, "the limit of \(limit) is reached")
        }
        slow = held.remove(at: index)
      }
      held.append(work)
      return slow
    }
    slow?.end()
    return Place(work, self)
  }

  /// Asks all work to end.
  func endAll() { for work in held.withLock({ $0 }) { work.end() } }
}
