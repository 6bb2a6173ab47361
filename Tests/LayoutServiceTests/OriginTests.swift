import Foundation
import HTTPTypes
import LayoutCache
import Testing

@testable import LayoutCacheService

/// Accepted hosts, and the origins of web pages that may change data.
@Suite struct OriginTests {
  @Test func foreignHostIsMisdirected() async throws {
    try await TestService.run {
      $0.allowedHosts = ["feeds.example.org", "::5"]
    } _: { service in
      let expected: [(host: String, status: Int)] = [
        ("localhost", 200), ("localhost:1", 200), ("LOCALHOST.", 200), ("a.localhost", 200),
        ("127.0.0.1", 200), ("127.9.9.9:80", 200), ("[::1]:8080", 200),
        ("feeds.example.org", 200), ("Feeds.Example.ORG:443", 200), ("[::5]", 200),
        ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421),
        ("192.168.0.1", 421), ("[::2]", 421), ("0.0.0.0", 421), ("127.0.0.1x", 421), ("a b", 400),
        ("", 400), ("a@localhost", 400),
      ]
      for (host, status) in expected {
        let answer = try await raw(service, "GET /v1/datasets HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(answer.status == status, "Host: \(host)")
        if status == 421 {
          #expect(answer.text.contains("/problems#misdirected-request"))
          #expect(answer.text.contains("--allow-host"))
        }
      }
      // Probes may use any host.
      for path in ["/healthz", "/readyz"] {
        let answer = try await raw(service, "GET \(path) HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        #expect(answer.status == 200)
      }
      for path in ["/", "/metrics", "/openapi.json", "/nothing/here"] {
        let answer = try await raw(service, "GET \(path) HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        #expect(answer.status == 421, "\(path)")
      }
      let options = "OPTIONS /v1/datasets HTTP/1.1\r\nHost: evil.example\r\n\r\n"
      let preflight = try await raw(service, options)
      #expect(preflight.status == 421)
    }
  }

  @Test func addressesAreHostsWhenListeningBeyondLoopback() throws {
    var configuration = ServiceConfiguration()
    configuration.host = "0.0.0.0"
    let policy = OriginPolicy(configuration)
    for host in ["192.168.0.1:8080", "[fe80::1]", "0.0.0.0", "localhost"] {
      try policy.requireOwnHost(host)
    }
    for host in ["evil.example", "1.2.3.4.example", "1.2.3", "1.2.3.256"] {
      #expect(throws: Problem.self, "\(host)") { try policy.requireOwnHost(host) }
    }
    #expect(throws: Problem.self) { try policy.requireOwnHost(nil) }
  }

  @Test(arguments: ["evil example", "a:80", "[::1]:80", "https://a", ""])
  func allowedHostWithPortOrSchemeIsInvalid(host: String) {
    var configuration = ServiceConfiguration()
    configuration.allowedHosts = [host]
    #expect(throws: ServiceConfigurationError.invalidHost(host)) { try configuration.validate() }
  }

  /// Every route that changes data, as a page could call it.
  private static let changes = [
    ("PUT", "/v1/datasets/new"), ("DELETE", "/v1/datasets/feed"),
    ("POST", "/v1/datasets/feed/rename?to=other"),
    ("POST", "/v1/datasets/feed/import?mode=replace&allowEmpty=true&format=ndjson"),
    ("POST", "/v1/datasets/feed/batches"), ("POST", "/v1/datasets/feed/undo"),
    ("PUT", "/v1/datasets/feed/layouts/new"), ("DELETE", "/v1/datasets/feed/layouts/phone"),
    ("POST", "/v1/datasets/feed/layouts/phone/previous"),
    ("POST", "/v1/datasets/feed/layouts/phone/prepare"),
    ("POST", "/v1/datasets/feed/layouts/phone/rebalance"),
    ("POST", "/v1/datasets/feed/layouts/phone/lengths"),
    ("PUT", "/v1/datasets/feed/views/new"), ("DELETE", "/v1/datasets/feed/views/new"),
    ("PUT", "/v1/templates/new"), ("DELETE", "/v1/templates/new"),
  ]

  @Test func listOfChangesCoversAllWriteRoutes() {
    let stated = Set(
      Self.changes.map { method, path in
        let path =
          path.split(separator: "?")[0]
          .replacing("/layouts/new", with: "/layouts/{layout}")
          .replacing("/layouts/phone", with: "/layouts/{layout}")
          .replacing("/views/new", with: "/views/{view}")
          .replacing("/templates/new", with: "/templates/{template}")
          .replacing("/datasets/new", with: "/datasets/{dataset}")
          .replacing("/datasets/feed", with: "/datasets/{dataset}")
        return "\(method) \(path)"
      })
    let routes = Routes.all.filter(\.isChange).map {
      "\($0.method.rawValue) \($0.path)"
    }
    #expect(stated == Set(routes))
  }

  @Test(arguments: [
    ("localhost:8080", ["Origin": "http://localhost:8080"]),
    ("LOCALHOST:8080", ["Origin": "http://localhost:8080"]),
    ("localhost", ["Origin": "http://localhost"]), ("localhost", ["Origin": "https://localhost"]),
    ("localhost:443", ["Origin": "https://localhost"]),
    ("localhost", ["Origin": "https://localhost:443"]),
    ("[::1]:8080", ["Origin": "http://[::1]:8080"]),
    ("feeds.example.org", ["Origin": "https://feeds.example.org"]),
    ("localhost:8080", ["Origin": "https://shop.example"]), ("localhost:8080", [:]),
    ("localhost:8080", ["Sec-Fetch-Site": "same-origin"]),
    ("localhost:8080", ["Sec-Fetch-Site": "none"]),
    ("localhost:8080", ["Origin": "http://localhost:8080", "Sec-Fetch-Site": "cross-site"]),
  ])
  func ownAndAllowedOriginsCanChangeData(
    host: String, headers: [String: String]
  ) async throws {
    try await TestService.run {
      $0.allowedHosts = ["feeds.example.org"]
      $0.allowedOrigins = ["https://shop.example"]
    } _: { service in
      let answer = try await raw(service, message("PUT", "/v1/datasets/new", host: host, headers))
      #expect(answer.status == 201)
    }
  }

  @Test func wildcardAllowsChangesFromAllOrigins() async throws {
    try await TestService.run {
      $0.allowedOrigins = ["*"]
    } _: { service in
      for (number, origin) in ["https://any.example", "null"].enumerated() {
        let request = message(
          "PUT", "/v1/datasets/new\(number)", host: "localhost", ["Origin": origin])
        let answer = try await raw(service, request)
        #expect(answer.status == 201 && answer.headers["access-control-allow-origin"] == "*")
      }
    }
  }

  /// Each header that the sources set, except those that pages always see and those for browsers.
  @Test func pagesOfAllowedOriginsSeeEveryHeader() async throws {
    let exempt: Set = [
      "allow", "cachecontrol", "connection", "contentencoding", "contentlength", "contenttype",
      "contentsecuritypolicy", "location", "vary", "wwwauthenticate", "xaccelbuffering",
      "xcontenttypeoptions",
    ]
    let root = URL(filePath: #filePath).appending(path: "../../../Sources/LayoutCacheService")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.standardized.path)
    let sources = try paths.filter { $0.hasSuffix(".swift") }.map {
      try String(contentsOf: root.appending(path: $0).standardized, encoding: .utf8)
    }.joined()
    var names: [Substring: Substring] = [:]
    for match in sources.matches(of: /static let (\w+) = HTTPField.Name\("([^"]+)"\)/) {
      names[match.1] = match.2
    }
    let set = sources.matches(of: /(?:headers|fields|self|headers: )\[\.(\w+)(?:\] = |: )/).map {
      (names[$0.1] ?? $0.1).replacing("-", with: "").lowercased()
    }.filter { !$0.hasPrefix("accesscontrol") }
    #expect(set.count > 40)
    try await TestService.run {
      $0.allowedOrigins = ["https://shop.example"]
    } _: { service in
      let answer = try await service.send(
        "GET", "/v1/datasets", headers: ["Origin": "https://shop.example"])
      let exposed = (answer.headers["access-control-expose-headers"] ?? "")
        .replacing("-", with: "").lowercased().split(separator: ", ").map(String.init)
      #expect(Set(set).subtracting(exempt) == Set(exposed))
    }
  }

  @Test func tokenDoesNotExemptForeignOrigins() async throws {
    let hash = "8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918"
    let tokens = try AccessTokens(text: "admin write * \(hash)")
    try await TestService.run {
      $0.tokens = tokens
    } _: { service in
      let headers = ["Authorization": "Bearer admin", "Origin": "https://evil.example"]
      let request = message("PUT", "/v1/datasets/new", host: "localhost", headers)
      let answer = try await raw(service, request)
      #expect(answer.status == 403)
    }
  }

  @Test func formContentTypesAreUnsupported() async throws {
    try await TestService.fed { service in
      for type in ["text/plain", "TEXT/PLAIN ; charset=utf-8", "multipart/form-data; boundary=x"] {
        for (method, path) in Self.changes {
          let answer = try await service.send(
            method, path, headers: ["Content-Type": type], body: "{}")
          #expect(answer.status == 415, "\(method) \(path) \(type)")
        }
      }
      #expect(try service.cache.dataset("feed").revision == 1)
    }
  }

  @Test func everyAnswerHasSecurityHeaders() async throws {
    try await TestService.fed { service in
      let layout = "/v1/datasets/feed/layouts/phone"
      for path in [
        "/v1/datasets", "/healthz", "/nothing", "/v1/datasets/none", "/problems", "/metrics",
        "/openapi.json", "/client.js", "\(layout)/elements?rect=0,0,9,9",
        "/v1/datasets/feed/export",
      ] {
        let answer = try await service.send("GET", path)
        #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
        let policy = answer.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'"), "\(path)")
        #expect(policy.contains("frame-ancestors 'none'"), "\(path)")
      }
      let page = try await service.send("GET", "/")
      #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'self'") == true)
    }
  }

  private func message(
    _ method: String, _ path: String, host: String, _ headers: [String: String]
  ) -> String {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    return text + "Content-Length: 0\r\n\r\n"
  }

  private func raw(_ service: TestService, _ text: String) async throws -> TestAnswer {
    let connection = try await service.connect()
    try await connection.write(text)
    return try await connection.read()
  }
}
