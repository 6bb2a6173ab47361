import CoreMetrics
import HTTPTypes

/// The metrics of a route's requests, labelled by the path pattern, never by the names in a
/// path.
struct RouteMetrics: Sendable {
  /// The path pattern.
  let path: String
  private let requests: [CoreMetrics.Counter]
  private let seconds: CoreMetrics.Timer

  init(_ route: Route, _ factory: PrometheusMetrics) {
    self.init(path: route.path, method: route.method.rawValue, factory)
  }

  init(path: String, _ factory: PrometheusMetrics) {
    self.init(path: path, method: "other", factory)
  }

  /// Creates the metrics of requests whose header did not arrive or could not be parsed: their
  /// method and route are unknown.
  init(unreadRequestsIn factory: PrometheusMetrics) {
    self.init(path: "-", method: "-", factory)
  }

  private init(path: String, method: String, _ factory: PrometheusMetrics) {
    self.path = path
    let labels = [("route", path), ("method", method)]
    requests = (1...5).map { status in
      CoreMetrics.Counter(
        label: "layoutcache_http_requests_total", dimensions: labels + [("status", "\(status)xx")],
        factory: factory)
    }
    seconds = CoreMetrics.Timer(
      label: "layoutcache_http_request_duration_seconds", dimensions: labels, factory: factory)
  }

  /// Records an answer and its processing time.
  func record(_ status: HTTPResponse.Status, _ duration: Duration) {
    requests[min(max(status.code / 100, 1), 5) - 1].increment()
    let (seconds, attoseconds) = duration.components
    self.seconds.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
