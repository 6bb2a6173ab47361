import Testing

@testable import LayoutCacheService

/// The cache of encoded answers: which answers it stores, and for which requests it is used.
@Suite struct AnswerCacheTests {
  private static let path = "/v1/datasets/feed/layouts/phone/elements"

  /// The number of requests that a service has answered from its cache.
  static func storedAnswers(
    of service: TestService, headers: [String: String] = [:]
  ) async throws -> Int {
    let text = try await service.send("GET", "/metrics", headers: headers).text
    let name = "layoutcache_http_stored_answers_total "
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return try #require(line.flatMap { Int($0.dropFirst(name.count)) })
  }

  @Test func storedAnswerIsOnlyForCallersWithAccess() async throws {
    let tokens = ["feed", "other"].map {
      AccessTokens.random(name: $0, scope: "read", datasetPrefix: $0)
    }
    try await TestService.run {
      $0.tokens = try! AccessTokens(text: tokens.map(\.line).joined(separator: "\n"))
    } _: { service in
      try service.makeFeed()
      func send(_ token: String?) async throws -> TestAnswer {
        try await service.send(
          "GET", "\(Self.path)?rect=0,0,390,800",
          headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
      }
      for _ in 0..<3 { #expect(try await send(tokens[0].token).status == 200) }
      #expect(try await send(nil).status == 401)
      #expect(try await send("wrong").status == 401)
      #expect(try await send(tokens[1].token).status == 403)
    }
  }

  /// The token of a pinned answer decides whether shared caches may store it.
  @Test func cacheControlIsThatOfTheCaller() async throws {
    let token = AccessTokens.random(name: "a", scope: "write", datasetPrefix: "*")
    try await TestService.fed {
      $0.tokens = try! AccessTokens(text: token.line + "\npublic read")
    } _: { service in
      let free = try await service.send("GET", "\(Self.path)?rect=0,0,390,800")
      let tag = try #require(free.headers["etag"])
      let pinned = "\(Self.path)?rect=0,0,390,800&at=\(tag.dropFirst(3).dropLast())"
      for headers in [[:], ["Authorization": "Bearer \(token.token)"], [:]] {
        for _ in 0..<3 {
          let answer = try await service.send("GET", pinned, headers: headers)
          let scope = headers.isEmpty ? "public" : "private"
          #expect(answer.headers["cache-control"] == "\(scope), max-age=31536000, immutable")
        }
      }
      let headers = ["Authorization": "Bearer \(token.token)"]
      #expect(try await Self.storedAnswers(of: service, headers: headers) > 3)
    }
  }
}
