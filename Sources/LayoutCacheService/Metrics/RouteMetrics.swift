import CoreMetrics
import HTTPTypes

/// What is counted of the requests of a route: by the path that it means, never by the
/// names in it.
struct RouteMetrics: Sendable {
  private let requests: [CoreMetrics.Counter]
  private let seconds: CoreMetrics.Timer

  init(_ route: Route, _ factory: PrometheusMetrics) {
    self.init(path: route.path, method: route.method.rawValue, factory)
  }

  init(path: String, _ factory: PrometheusMetrics) {
    self.init(path: path, method: "other", factory)
  }

  private init(path: String, method: String, _ factory: PrometheusMetrics) {
    let labels = [("route", path), ("method", method)]
    requests = (1...5).map { status in
      CoreMetrics.Counter(
        label: "layoutcache_http_requests_total", dimensions: labels + [("status", "\(status)xx")],
        factory: factory)
    }
    seconds = CoreMetrics.Timer(
      label: "layoutcache_http_request_seconds", dimensions: labels, factory: factory)
  }

  /// Notes an answer, and how long it took to be ready.
  func note(_ status: HTTPResponse.Status, _ duration: Duration) {
    requests[min(max(status.code / 100, 1), 5) - 1].increment()
    let (seconds, attoseconds) = duration.components
    self.seconds.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
