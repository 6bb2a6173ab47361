import HTTPTypes
import LayoutCache
import NIOEmbedded
import Testing

@testable import LayoutCacheService

/// Counters and the format of metrics.
@Suite struct MetricsTests {
  @Test func requestsAreCountedByRouteNotByName() async throws {
    try await TestService.fed { service in
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

  @Test func seriesWithLabelsBeginWithTheirFirstUse() async throws {
    try await TestService.run { service in
      let first = Self.values(try await service.send("GET", "/metrics").text)
      #expect(!first.keys.contains { $0.hasPrefix("layoutcache_http_request") })
      for name in ["layoutcache_imports_total", "layoutcache_event_streams"] {
        #expect(first[name] == 0, "\(name)")
      }
      _ = try await service.send("GET", "/v1/nowhere")
      let second = Self.values(try await service.send("GET", "/metrics").text)
      #expect(
        second.keys.filter { $0.hasPrefix("layoutcache_http_requests_total") }.sorted() == [
          #"layoutcache_http_requests_total{route="/metrics",method="GET",status="2xx"}"#,
          #"layoutcache_http_requests_total{route="other",method="other",status="4xx"}"#,
        ])
    }
  }

  @Test func metricsDescribeTheProcessTheConnectionsAndTheFile() async throws {
    try await TestService.run { service in
      func values() async throws -> [String: Double] {
        Self.values(try await service.send("GET", "/metrics").text)
      }
      let before = try await values()
      #expect(before["layoutcache_database_commits_total"] == 0)
      let idle = try await service.connect()
      #expect(try await idle.send("GET", "/healthz").status == 200)
      _ = try await service.send(
        "POST", "/v1/datasets/feed/import", headers: ["Content-Type": "application/x-ndjson"],
        body: #"{"key":"a","width":4,"height":3}"# + "\n")
      let events = try await service.connect()
      try await events.write("GET /v1/datasets/feed/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try await events.readSome()
      let after = try await values()
      #expect(after["layoutcache_imports_total"] == 1)
      #expect(after["layoutcache_imports_running"] == 0)
      #expect(after["layoutcache_event_streams"] == 1)
      // The idle connection, the stream, and the request itself.
      #expect(after["layoutcache_http_connections", default: 0] >= 3)
      #expect(after["layoutcache_database_commits_total", default: 0] >= 1)
      #expect(after["layoutcache_database_file_bytes", default: 0] > 0)
      #expect(after["layoutcache_database_wal_bytes", default: 0] > 0)
      #if os(Linux)
        #expect(after["process_cpu_seconds_total", default: 0] > 0)
        #expect(after["process_resident_memory_bytes", default: 0] > 1_000_000)
        #expect(after["process_open_fds", default: 0] > 3)
        #expect(after["process_max_fds", default: 0] >= after["process_open_fds", default: 0])
        let start = after["process_start_time_seconds", default: 0]
        let now = Double(WallClock.system.now()) / 1_000
        #expect(start > now - 86_400 && start <= now + 1)
      #endif
      withExtendedLifetime((idle, events)) {}
    }
  }

  /// Returns the values of a text by series.
  private static func values(_ text: String) -> [String: Double] {
    text.split(separator: "\n").reduce(into: [:]) { values, line in
      guard !line.hasPrefix("#"), let space = line.lastIndex(of: " ") else { return }
      values[String(line[..<space])] = Double(line[line.index(after: space)...])
    }
  }

  @Test func healthAndMetricsHaveASeparatePort() async throws {
    let tokens = try AccessTokens(text: "a write * " + String(repeating: "0", count: 64))
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
    let metrics = RequestMetrics()
    let route = metrics.route("1\"2\\3\n", "GET")
    route.record(.ok, .nanoseconds(300_000))
    metrics.route("1\"2\\3\n", "GET").record(.notFound, .seconds(20))
    #expect([0.9, 1, 20].map { route.mustReport(.seconds($0)) } == [false, true, false])
    var text = PrometheusText()
    metrics.write(to: &text)
    let labels = #"route="1\"2\\3\n",method="GET""#
    for expected in [
      "# TYPE layoutcache_http_requests_total counter\n",
      "layoutcache_http_requests_total{\(labels),status=\"2xx\"} 1\n",
      "# TYPE layoutcache_http_request_duration_seconds histogram\n",
      "_seconds_bucket{\(labels),le=\"0.00025\"} 0\n",
      "_seconds_bucket{\(labels),le=\"0.0005\"} 1\n",
      "_seconds_bucket{\(labels),le=\"10.0\"} 1\n", "_seconds_bucket{\(labels),le=\"+Inf\"} 2\n",
      "_seconds_sum{\(labels)} 20.0003\n", "_seconds_count{\(labels)} 2\n",
    ] { #expect(text.text.contains(expected), "\(expected)") }
  }
}
