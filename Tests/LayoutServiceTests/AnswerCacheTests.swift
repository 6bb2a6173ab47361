import LayoutCache
import NIOCore
import TestSupport
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

  private func makeCache() throws -> LayoutCache {
    let cache = try LayoutCache.temporary()
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      try importer.add(Item(key: "a", width: 4, height: 3), section: "s")
    }
    try cache.setLayout(
      LayoutID("phone", of: "feed"),
      to: ConfigurationText.decode(#"{"container":{"width":390},"section":{"columns":2}}"#))
    return cache
  }

  private func key(_ query: String) -> AnswerCache.Key {
    AnswerCache.Key(
      LayoutID("phone", of: "feed"), query: query, acceptsGzip: false)
  }

  private func answer(_ count: Int, from snapshot: LayoutSnapshot) -> AnswerCache.Answer {
    let body = EncodedBody(
      type: "application/json", bytes: ByteBuffer(repeating: 0, count: count),
      isCompressed: false, variesByEncoding: false)
    return AnswerCache.Answer(
      body, from: snapshot, Validator(snapshot, representation: "json"))
  }

  /// Most positions are requested once: their answers would only replace others.
  @Test func answerIsStoredFromTheSecondRequestOn() throws {
    let cache = try makeCache()
    try cache.read(LayoutID("phone", of: "feed")) { snapshot in
      let answers = AnswerCache(bytesMax: 1 << 20)
      let answer = answer(100, from: snapshot)
      answers.store(answer, to: key("a"))
      #expect(answers.answer(to: key("a")) == nil && answers.counts.answers == 0)
      answers.store(answer, to: key("a"))
      #expect(answers.answer(to: key("a")) != nil && answers.answer(to: key("b")) == nil)
      #expect(answers.counts.answers == 1)
      // In place of the previous answer, without a second request.
      answers.store(answer, to: key("a"))
      #expect(answers.counts.answers == 1)
    }
    try cache.close()
  }

  @Test(arguments: [0, 2_000, 100_000])
  func memoryIsBoundedAndUsedAnswersStay(bytesMax: Int) throws {
    let cache = try makeCache()
    try cache.read(LayoutID("phone", of: "feed")) { snapshot in
      let answers = AnswerCache(bytesMax: bytesMax)
      var generator = SeededGenerator(seed: 7)
      var hitCount = 0
      for number in 0..<3_000 {
        let count = Int.random(in: 0...2_000, using: &generator)
        for _ in 0..<2 { answers.store(answer(count, from: snapshot), to: key("\(number)")) }
        if answers.answer(to: key("popular")) == nil {
          answers.store(answer(10, from: snapshot), to: key("popular"))
        } else {
          hitCount += 1
        }
        #expect(answers.counts.bytes <= bytesMax)
      }
      // The first two requests of all.
      if bytesMax == 100_000 { #expect(hitCount == 2_998 && answers.counts.answers > 10) }
      if bytesMax == 0 { #expect(answers.counts.answers == 0) }
      for _ in 0..<3 { answers.store(answer(300_000, from: snapshot), to: key("long")) }
      #expect(answers.answer(to: key("long")) == nil)
    }
    try cache.close()
  }

  @Test func storedAnswerIsOnlyForCallersWithAccess() async throws {
    let tokens = ["feed", "other"].map {
      AccessTokens.random(name: $0, mayWrite: false, datasetPrefix: $0)
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
    let token = AccessTokens.random(name: "a", mayWrite: true, datasetPrefix: "*")
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
          #expect(
            answer.headers["cache-control"] == "\(scope), max-age=31536000, immutable")
        }
      }
      let headers = ["Authorization": "Bearer \(token.token)"]
      #expect(try await Self.storedAnswers(of: service, headers: headers) > 3)
    }
  }
}
