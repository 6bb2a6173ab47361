import LayoutCache
import Testing

@testable import LayoutCacheService

/// Access tokens, public listening addresses and CORS.
@Suite struct AccessTests {
  // The hashes of "reader", "writer" and "admin".
  private static let file = """
    # name scope datasets hash
    web    read   *      3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30
    shop   write  shop-  b93006774cbdd4b299389a03ac3d88c3a76b460d538795bc12718011a909fba5
    admin  write  *      8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918 # all
    """

  private func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

  @Test func anUnknownNameGetsANearOneThatTheTokenMaySee() async throws {
    let tokens = try AccessTokens(text: Self.file)
    try await TestService.run {
      $0.tokens = tokens
    } _: { service in
      for name in ["shop-summer", "shap-winter"] { try service.cache.createDataset(name) }
      for (path, token, near) in [
        ("shop-sumer", "writer", "shop-summer"), ("shop-winter", "writer", nil),
        ("shop-winter", "reader", "shap-winter"), ("nothing-alike", "reader", nil),
        ("shop-sumer/layouts/phone/elements?rect=0,0,1,1", "reader", "shop-summer"),
      ] {
        let answer = try await service.send("GET", "/v1/datasets/\(path)", headers: bearer(token))
        #expect(answer.status == 404)
        let detail = try #require(answer.object["detail"] as? String)
        #expect(detail.contains("did you mean '\(near ?? "")") == (near != nil), "\(detail)")
      }
    }
  }

  /// By each route that makes a revision; the public does not see the names.
  @Test func theLogNamesTheTokenOfEachCommit() async throws {
    let tokens = try AccessTokens(text: Self.file + "\npublic read")
    try await TestService.run {
      $0.tokens = tokens
    } _: { service in
      let feed = "/v1/datasets/shop-a"
      func change(_ method: String, _ path: String, by token: String, _ body: String = "")
        async throws
      {
        var headers = bearer(token)
        if !body.isEmpty { headers["Content-Type"] = "application/x-ndjson" }
        let answer = try await service.send(method, feed + path, headers: headers, body: body)
        #expect(answer.status < 300, "\(path): \(answer.text)")
      }
      let rows = (0..<40).map { #"{"key":"k\#($0)","width":1,"height":\#(1 + $0 % 9)}"# }
      let item = #"{"key":"a","width":1,"height":1}"#
      try await change("PUT", "", by: "admin")
      try await change("POST", "/import?mode=replace", by: "writer", rows.joined(separator: "\n"))
      try await change("POST", "/import?mode=append", by: "admin", item)
      try await change("POST", "/batches", by: "writer", #"{"op":"delete","keys":["k1"]}"#)
      try await change("POST", "/undo", by: "admin")
      try service.cache.update("shop-a", with: [.delete(keys: ["k2"])])
      func log(_ headers: [String: String]) async throws -> [String] {
        let answer = try await service.send("GET", feed + "/log", headers: headers)
        let entries = answer.object["entries"] as? [[String: Any]] ?? []
        return entries.map { $0["who"] as? String ?? "" }
      }
      #expect(try await log(bearer("writer")) == ["", "admin", "shop", "admin", "shop", "admin"])
      #expect(try await log([:]) == Array(repeating: "", count: 6))
      var headers = bearer("writer")
      headers["Content-Type"] = "application/json"
      _ = try await service.send(
        "PUT", feed + "/layouts/l", headers: headers, body: #"{"container":{"width":9}}"#)
      for (headers, who) in [(headers, "shop"), ([:], nil)] {
        let answer = try await service.send("GET", feed + "/layouts/l/history", headers: headers)
        let history = answer.object["history"] as? [[String: Any]]
        #expect(history?.first?["who"] as? String == who && history?.count == 1)
      }
    }
  }

  /// The streams of all others stay.
  @Test func replacedTokensEndTheStreamsThatTheyDoNotPermit() async throws {
    let lines = Self.file.split(separator: "\n").map(String.init)
    let before = try AccessTokens(text: (lines + ["public read"]).joined(separator: "\n"))
    // "reader" is revoked, "writer" gets another prefix, "admin" another name.
    let after = try AccessTokens(
      text: (lines[2...].map {
        $0.replacing("shop-", with: "other-").replacing("admin", with: "root")
      }).joined(separator: "\n"))
    try await TestService.run {
      $0.tokens = before
    } _: { service in
      try service.cache.createDataset("shop-a")
      let clients = [nil, "reader", "writer", "admin"]
      var streams: [TestConnection] = []
      for token in clients {
        let stream = try await service.connect()
        let header = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await stream.write(
          "GET /v1/datasets/shop-a/events HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n")
        var text = ""
        while !text.contains(": welcome") { text += try await stream.readSome() }
        streams.append(stream)
      }
      try service.service.replaceTokens(after)
      // A stream that ended sends its last chunk, and no event.
      for stream in streams.dropLast() { #expect(try await stream.readSome() == "0\r\n\r\n") }
      try service.cache.update("shop-a", with: [.insertSection(key: "s")])
      #expect(try await streams[3].readSome().contains("event: commit"))
      for (token, status) in zip(clients, [401, 401, 403, 200]) {
        let answer = try await service.send(
          "GET", "/v1/datasets/shop-a", headers: token.map(bearer) ?? [:])
        #expect(answer.status == status)
      }
    }
  }

  @Test(arguments: [
    "", "# nothing", "public read", "public write", "web read *", "web read * abc",
    "web all * " + hash, "app hs256 * " + hash.prefix(40), "app hs256 * " + hash + "=",
    "a read * \(hash)\na hs256 * \(hash)", "a read * \(hash) 9", "a hs256 * \(hash) 0",
    "a read * \(hash)\na write * \(hash)", "a hs256 * \(hash) 8761", "a hs256 * \(hash) 24h",
  ])
  func malformedTokenFileIsRejected(text: String) {
    #expect(throws: AccessTokensError.self) { try AccessTokens(text: text) }
  }

  /// A comment must not hide the lines after it.
  @Test func tokenFileMayHaveLinesOfWindows() throws {
    let text = (Self.file + "\npublic read # all\n").replacing("\n", with: "\r\n")
    let tokens = try AccessTokens(text: text)
    #expect(tokens.allowsPublicReads)
    for token in ["reader", "writer", "admin"] {
      #expect((try? tokens.grant(of: token, at: 0)) != nil, "\(token)")
    }
  }

  private static let hash = String(repeating: "0", count: 64)

  @Test(arguments: ["0.0.0.0", "::", "example.org", "10.0.0.1", "127.evil.org"])
  func listeningBeyondLoopbackRequiresTokens(host: String) throws {
    var configuration = ServiceConfiguration()
    configuration.host = host
    #expect(throws: ServiceConfigurationError.tokenRequired(host: host)) {
      try configuration.validate()
    }
    configuration.tokens = try AccessTokens(text: Self.file)
    try configuration.validate()
  }

  @Test(arguments: [
    ("https://shop.example", true), ("http://localhost:3000", true), ("http://[::1]:80", true),
    ("null", true), ("*", true), ("app://shop", true), ("shop.example", false),
    ("localhost:3000", false), ("https://shop.example/", false), ("https://Shop.example", false),
    ("https://shop.example/page", false), ("https:shop.example", false), ("://x", false),
    ("https://", false), ("https://shop.example:x", false), ("", false),
  ])
  func onlyOriginsOfPagesAreAllowed(origin: String, isValid: Bool) {
    var configuration = ServiceConfiguration()
    configuration.allowedOrigins = ["https://other.example", origin]
    #expect(((try? configuration.validate()) != nil) == isValid)
  }

  @Test func limitsBelowTheirMinimumAreInvalid() throws {
    let limits: [WritableKeyPath<ServiceLimits, Int>] = [
      \.batchBytesMax, \.headerBytesMax, \.elementsMax, \.rectsMax, \.rowsMax, \.connectionsMax,
      \.streamsMax, \.importsMax, \.exportsMax, \.answerCacheBytes,
    ]
    for limit in limits {
      for value in [-1, 0, 1, .min, .max] {
        var configuration = ServiceConfiguration()
        configuration.limits[keyPath: limit] = value
        let mayBeZero = [\.streamsMax, \.answerCacheBytes].contains(limit)
        let isValid = value > 0 || value == 0 && mayBeZero
        #expect(((try? configuration.validate()) != nil) == isValid, "\(limit) \(value)")
      }
    }
    let timeouts: [WritableKeyPath<ServiceTimeouts, Duration>] = [
      \.header, \.idle, \.answer, \.transfer, \.drain, \.busy,
    ]
    for timeout in timeouts {
      for value in [Duration.seconds(-1), .zero, .seconds(1 << 31), .seconds(1 << 32)] {
        var configuration = ServiceConfiguration()
        configuration.timeouts[keyPath: timeout] = value
        let isValid = value == .zero || value == .seconds(1 << 31)
        #expect(((try? configuration.validate()) != nil) == isValid, "\(timeout) \(value)")
      }
    }
    var configuration = ServiceConfiguration()
    configuration.limits.rowsMax = 0
    #expect(throws: ServiceConfigurationError.limitOutOfRange("limits.rowsMax")) {
      try configuration.validate()
    }
  }

  @Test func corsHeadersAreSentOnlyToAllowedOrigins() async throws {
    try await TestService.run {
      $0.allowedOrigins = ["https://a.example"]
    } _: { service in
      let own = try await service.send(
        "OPTIONS", "/v1/datasets", headers: ["Origin": "https://a.example"])
      #expect(own.headers["access-control-allow-origin"] == "https://a.example")
      #expect(own.headers["access-control-allow-headers"]?.contains("If-Match") == true)
      let other = try await service.send(
        "GET", "/healthz", headers: ["Origin": "https://b.example"])
      #expect(other.headers["access-control-allow-origin"] == nil)
      #expect(other.headers["vary"]?.contains("Origin") == true)
      // An answer that a shared cache stores must not be passed to a page.
      try service.makeFeed()
      let path = "/v1/datasets/feed/layouts/phone/elements?rect=0,0,390,100"
      let etag = try #require(try await service.send("GET", path).headers["etag"])
      for path in ["/healthz", "/none", "/", path, path + "&at=\(etag.filter { $0 != "\"" })"] {
        let plain = try await service.send("GET", path)
        #expect(plain.headers["vary"]?.contains("Origin") == true, "\(path) \(plain.status)")
      }
    }
  }
}
