import Hummingbird
import LayoutCache
import LayoutGeometry
import Synchronization
import TextFormats

/// The handler for lengths that clients have measured.
enum Lengths {
  /// The range of a length that a viewer may state, as a factor of the laid out one.
  private static let factors = 0.125...8.0

  /// Sets measured lengths of items; ignores those of items that do not exist. For a token that
  /// permits only to measure, also those that other viewers would see as wrong: of measured items,
  /// of other items, far from the laid out length, or too many.
  @Sendable static func take(_ request: ServiceRequest) async throws -> Response {
    let body = try await request.body.collect(
      bytesMax: request.service.configuration.limits.batchBytesMax)
    let (cache, view) = (request.cache, request.view)
    let mayWrite = request.caller.grant?.may.contains(.write) ?? true
    let (layout, given) = try await request.blocking {
      let text = try body.text
      return (try cache.canonical(request.layout), try MeasuredLength.list(json: text))
    }
    let room =
      mayWrite
      ? given.count : request.service.measuring.take(given.count, for: request.client)
    var taken = try await request.blocking(on: [layout]) {
      try cache.read(layout, showing: view) { snapshot in
        try given.prefix(room).filter { one in
          if mayWrite { return try snapshot.indexPath(ofKey: one.key) != nil }
          guard let known = try snapshot.length(ofItem: one.key) else { return false }
          guard let length = one.length, one.crossLength == nil, !known.isMeasured else {
            return false
          }
          return factors.contains(length.points / known.laidOut.points)
        }
      }
    }
    if !taken.isEmpty {
      let operation = BatchOperation.preferLengths(layout: layout.layout, taken, missing: .ignore)
      do {
        _ = try await request.deciding { try cache.update(layout.dataset, with: [operation]) }
      } catch let error as LayoutCacheError {
        // Of a section that has no measured lengths by now, or only in the part.
        guard case .refused = error.code, !mayWrite else { throw error }
        taken = []
      }
    }
    return request.json { json in
      json.beginObject()
      json.member("taken", taken.count)
      json.member("ignored", given.count - taken.count)
      json.endObject()
    }
  }
}

/// The numbers of lengths that each client has stated in the present minute.
final class MeasuringRates: Sendable {
  private let max: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let minute: Mutex<(begun: ContinuousClock.Instant, counts: [ExactKey: Int])>

  init(max: Int = 200, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    (self.max, self.now) = (max, now)
    minute = Mutex((now(), [:]))
  }

  /// Returns how many of some lengths a client may state now, and records them.
  func take(_ count: Int, for client: String) -> Int {
    minute.withLock { minute in
      let now = now()
      if minute.begun.duration(to: now) >= .seconds(60) { minute = (now, [:]) }
      let stated = minute.counts[ExactKey(client), default: 0]
      let taken = min(count, max - stated)
      minute.counts[ExactKey(client)] = stated + taken
      return taken
    }
  }
}
