import CoreMetrics
import LayoutCache
import TestSupport
import Testing

@testable import LayoutCacheService

/// Counters and the format of metrics.
@Suite struct MetricsTests {
  @Test func requestsAreCountedByRouteNotByName() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      for _ in 0..<3 { _ = try await service.send("GET", "/v1/datasets/feed") }
      _ = try await service.send("GET", "/v1/datasets/secret")
      let text = try await service.send("GET", "/metrics").text
      let labels = #"route="/v1/datasets/{dataset}",method="GET""#
      #expect(text.contains("layoutcache_http_requests_total{\(labels),status=\"2xx\"} 3\n"))
      #expect(text.contains("layoutcache_http_requests_total{\(labels),status=\"4xx\"} 1\n"))
      #expect(text.contains("layoutcache_http_request_duration_seconds_count{\(labels)} 4\n"))
      #expect(!text.contains("secret") && !text.contains("feed\""))
      // Each metric has one HELP and one TYPE.
      let lines = text.split(separator: "\n")
      let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
      let helps = lines.filter { $0.hasPrefix("# HELP ") }.map { $0.split(separator: " ")[2] }
      #expect(types == helps && Set(types).count == types.count)
      #expect(types.contains("layoutcache_build_info"))
    }
  }

  @Test func healthAndMetricsHaveASeparatePort() async throws {
    let tokens = try AccessTokens(
      text: "a write * " + String(repeating: "0", count: 64))
    let probe = try await TestService()
    let port = probe.port
    try await probe.stop()
    try await TestService.run {
      $0.adminPort = port
      $0.tokens = tokens
    } _: { service in
      let admin = try await TestConnection(port: port)
      #expect(try await admin.send("GET", "/metrics").status == 200)
      #expect(try await admin.send("GET", "/v1/datasets").status == 404)
      #expect(try await service.send("GET", "/metrics").status == 401)
    }
  }

  @Test func valuesUsePrometheusTextFormat() {
    let metrics = PrometheusMetrics()
    CoreMetrics.Counter(label: "a.b-c", dimensions: [("x", "1\"2\\3\n")], factory: metrics)
      .increment(by: 5)
    CoreMetrics.Meter(label: "gauge", factory: metrics).set(2.5)
    let timer = CoreMetrics.Timer(label: "time", factory: metrics)
    timer.recordNanoseconds(300_000)
    timer.recordNanoseconds(20_000_000_000)
    let text = metrics.text()
    #expect(text.contains("# TYPE a_b_c counter\na_b_c{x=\"1\\\"2\\\\3\\n\"} 5\n"))
    #expect(text.contains("# TYPE gauge gauge\ngauge 2.5\n"))
    #expect(text.contains("time_bucket{le=\"0.00025\"} 0\ntime_bucket{le=\"0.0005\"} 1\n"))
    #expect(text.contains("time_bucket{le=\"10.0\"} 1\ntime_bucket{le=\"+Inf\"} 2\n"))
    #expect(text.contains("time_count 2\n"))
  }
}
