import HTTPTypes
import LayoutGeometry
import Synchronization

/// The metrics of a route's requests, labelled by the path pattern, never by the names in a path.
final class RouteMetrics: Sendable {
  /// Bounds in seconds, from 100 microseconds.
  fileprivate static let bounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10,
  ]

  fileprivate struct Counts {
    /// By class of status: 1xx to 5xx.
    var statuses = Array(repeating: 0, count: 5)
    /// By the first bound that is no shorter than the request.
    var durations = Array(repeating: 0, count: RouteMetrics.bounds.count)
    var seconds = 0.0
    /// The time of the last report of a slow request.
    var reported: ContinuousClock.Instant?

    var total: Int { statuses.reduce(0, +) }
  }

  /// The path pattern.
  let path: String
  fileprivate let method: String
  private let counts = Mutex(Counts())

  fileprivate init(_ path: String, _ method: String) { (self.path, self.method) = (path, method) }

  /// Records an answer and its processing time.
  func record(_ status: HTTPResponse.Status, _ duration: Duration) {
    let seconds = duration / .seconds(1)
    counts.withLock { counts in
      counts.statuses[min(max(status.code / 100, 1), 5) - 1] += 1
      if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) {
        counts.durations[index] += 1
      }
      counts.seconds += seconds
    }
  }

  /// Returns whether a request took longer than a second, and is reported: one a minute.
  func mustReport(_ duration: Duration) -> Bool {
    if duration < .seconds(1) { return false }
    return counts.withLock { counts in
      let now = ContinuousClock.now
      if let last = counts.reported, last.duration(to: now) < .seconds(60) { return false }
      counts.reported = now
      return true
    }
  }

  fileprivate var labels: [(name: String, value: String)] { [("route", path), ("method", method)] }

  fileprivate var present: Counts { counts.withLock { $0 } }
}

final class RequestMetrics: Sendable {
  private let routes = Mutex<[RouteMetrics]>([])
  private let storedAnswers = Atomic(0)

  /// Counts a request that is answered from the cache of answers.
  func countStoredAnswer() { storedAnswers.add(1, ordering: .relaxed) }

  /// Returns the metrics of a route, which are those of all ports.
  ///
  /// - Parameters:
  ///   - path: The path pattern; `-` for requests whose header did not arrive or could not be parsed.
  ///   - method: The method, `other` for those that a path does not support, `-` if it is unknown.
  func route(_ path: String, _ method: String = "other") -> RouteMetrics {
    routes.withLock { routes in
      let known = routes.first { $0.path.isExactly(path) && $0.method.isExactly(method) }
      if let known { return known }
      let new = RouteMetrics(path, method)
      routes.append(new)
      return new
    }
  }

  /// Writes the series that have been used. Otherwise a service would send thousands of zeros for
  /// routes that no client uses.
  func write(to text: inout PrometheusText) {
    let used = routes.withLock { $0 }.map { (labels: $0.labels, counts: $0.present) }
      .filter { $0.counts.total > 0 }
    if !used.isEmpty {
      let requests = "layoutcache_http_requests_total"
      text.begin(requests, .counter, "Requests by route, method and class of status.")
      for (labels, counts) in used {
        for (index, count) in counts.statuses.enumerated() where count > 0 {
          text.add(requests, labels + [("status", "\(index + 1)xx")], count)
        }
      }
      let seconds = "layoutcache_http_request_duration_seconds"
      text.begin(seconds, .histogram, "Time from a request's header to its answer's header.")
      for (labels, counts) in used {
        var below = 0
        for (bound, count) in zip(RouteMetrics.bounds, counts.durations) {
          below += count
          text.add("\(seconds)_bucket", labels + [("le", "\(bound)")], below)
        }
        text.add("\(seconds)_bucket", labels + [("le", "+Inf")], counts.total)
        text.add("\(seconds)_sum", labels, counts.seconds)
        text.add("\(seconds)_count", labels, counts.total)
      }
    }
    text.add(
      "layoutcache_http_stored_answers_total", .counter, storedAnswers.load(ordering: .relaxed),
      "Requests answered from the cache of answers.")
  }
}
