import HTTPTypes
import LayoutCache
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCacheService

/// Tokens that a team's backend signs for its viewers.
@Suite struct SignedTokenTests {
  private static let secret = Base64URL.text(Array("a secret of at least thirty-two bytes".utf8))
  private static let tokens = try? AccessTokens(
    text: """
      app  hs256 fe     \(secret)
      part hs256 other- \(secret) 720
      """)
  private static let dataset = "/v1/datasets/feed"
  private static let layout = "\(dataset)/layouts/phone"
  private static let mine = #""datasets":["feed"],"layouts":["phone"],"may":["read"]"#

  private static var now: Int64 { WallClock.system.now() / 1000 }

  /// The header of a request with a token.
  private static func token(
    _ claims: String, _ others: String? = nil, by key: String = "app"
  ) -> [String: String] {
    let signer = SigningKey(name: key, datasets: "*", secret: Base64URL.bytes(secret) ?? [])
    let others = others ?? #""exp":\#(now + 600)"#
    let text = SignedToken.text(claims: #"{\#(others),"layoutcache":{\#(claims)}}"#, by: signer)
    return ["Authorization": "Bearer \(text)"]
  }

  /// A feed of 12 items, of which the owner of every third is u1; its text is in the data.
  private func run(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.fed(items: 12) {
      if let tokens = Self.tokens { $0.tokens = tokens }
    } _: { service in
      var operations: [BatchOperation] = []
      try service.cache.forEachItem(of: "feed") { _, item in
        let number = Int(item.key.dropFirst()) ?? 0
        let owner = number % 3 == 0 ? "u1" : "hidden"
        operations.append(
          .data(key: item.key, try ItemData(json: #"{"owner":"\#(owner)","n":\#(number)}"#)))
      }
      try service.cache.update("feed", with: operations)
      try await body(service)
    }
  }

  /// Source: RFC 7515, appendix A.1.
  @Test func aSignatureIsThatOfTheStandard() throws {
    let key = try #require(
      Base64URL.bytes(
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
    let signed =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQog"
      + "Imh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    let code = SHA256.authenticationCode(of: Array(signed.utf8), key: key)
    #expect(Base64URL.text(code) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(Base64URL.bytes(Base64URL.text(code)) == code)
    // The last digit has bits that no byte has.
    for text in ["A", "AB", "AAB", "AA=", "A+A", "A/A", "Aé"] {
      #expect(Base64URL.bytes(text) == nil)
    }
  }

  /// A message of a key longer than a block. Source: RFC 4231, test case 6.
  @Test func aLongKeyIsHashed() {
    let code = SHA256.authenticationCode(
      of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      key: [UInt8](repeating: 0xAA, count: 131))
    #expect(code.prefix(8) == [0x60, 0xE4, 0x31, 0x59, 0x1E, 0xE0, 0xB6, 0x7F])
  }

  @Test func eachFaultOfATokenIsRejected() async throws {
    try await run { service in
      let path = "\(Self.layout)/elements?rect=0,0,390,900"
      let good = Self.token(Self.mine)
      #expect(try await service.send("GET", path, headers: good).status == 200)
      let text = try #require(good["Authorization"])
      let parts = text.split(separator: ".")
      func altered(_ index: Int) -> String {
        var bytes = Array(text.utf8)
        bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
      }
      let none = Base64URL.text(Array(#"{"alg":"none","kid":"app"}"#.utf8))
      var forged = [
        "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", text + ".", text + "=", text + "A",
        "Bearer \(none).\(parts[1]).", "Bearer \(none).\(parts[1]).\(parts[2])", "Bearer ..",
      ]
      var generator = SeededGenerator(seed: 50)
      for _ in 0..<60 {
        forged.append(altered(Int.random(in: 7..<text.utf8.count, using: &generator)))
      }
      let (now, later) = (Self.now, Self.now + 600)
      let claims: [(String, String?)] = [
        (Self.mine, #""exp":\#(now - 1)"#), (Self.mine, #""sub":"u1""#),
        (Self.mine, #""exp":\#(now + 25 * 3600)"#), (Self.mine, #""exp":"\#(later)""#),
        (Self.mine, #""exp":1e300"#), (Self.mine, #""exp":\#(later),"nbf":\#(now + 300)"#),
        (Self.mine, #""exp":\#(later),"aud":"shop""#), (Self.mine, #""exp":\#(later),"aud":[]"#),
        (Self.mine + #","were":"n = 1""#, nil), (Self.mine + #","where":"n =""#, nil),
        (Self.mine + #","where":"n = 1","view":"v""#, nil), (Self.mine + #","where":1"#, nil),
        (#""datasets":["feed"],"may":["read","write"],"where":"n = 1""#, nil),
        (#""datasets":["feed"],"may":["write"],"view":"v""#, nil),
        (#""datasets":["feed"],"layouts":["phone"],"may":["everything"]"#, nil),
        (#""datasets":"feed","layouts":["phone"],"may":["read"]"#, nil),
      ]
      forged += claims.compactMap { Self.token($0.0, $0.1)["Authorization"] }
      forged.append(try #require(Self.token(Self.mine, by: "none")["Authorization"]))
      for header in forged {
        let answer = try await service.send("GET", path, headers: ["Authorization": header])
        #expect(answer.status == 401, "\(header): \(answer.text)")
        #expect(!answer.text.contains("i1"))
      }
      for others in [
        #""exp":\#(later).5,"nbf":\#(now - 9),"iat":1,"jti":"x""#,
        #""exp":\#(later),"aud":"layoutcache""#, #""exp":\#(later),"aud":["a","layoutcache"]"#,
      ] {
        let headers = Self.token(Self.mine, others)
        #expect(try await service.send("GET", path, headers: headers).status == 200, "\(others)")
      }
    }
  }

  /// Also one that was verified before; keys of another file have verified nothing.
  @Test func aTokenThatEndsIsRejected() throws {
    let (tokens, now) = (try #require(Self.tokens), Self.now)
    let header = try #require(
      Self.token(Self.mine, #""sub":"u1","exp":\#(now + 60)"#)["Authorization"])
    let token = String(header.dropFirst(7))
    for time in [now, now + 30, now + 59, now] {
      let grant = try tokens.grant(of: token, at: time)
      #expect(grant.name == "app/u1" && grant.covers(layout: "phone@390"))
    }
    for time in [now + 60, now + 1000] {
      #expect(throws: Problem.self) { try tokens.grant(of: token, at: time) }
    }
    let other = try AccessTokens(text: "app hs256 fe \(String(repeating: "A", count: 64))")
    #expect(throws: Problem.self) { try other.grant(of: token, at: now) }
    for (key, isValid) in [("app", false), ("part", true)] {
      let header = Self.token(Self.mine, #""exp":\#(now + 720 * 3600)"#, by: key)["Authorization"]
      let long = String(try #require(header).dropFirst(7))
      #expect(((try? tokens.grant(of: long, at: now)) != nil) == isValid)
    }
    // Many others, so that it is no longer known.
    for number in 0..<5000 {
      let header = Self.token(Self.mine, #""sub":"\#(number)","exp":\#(now + 60)"#)
      let other = String(header["Authorization"]?.dropFirst(7) ?? "")
      #expect(try tokens.grant(of: other, at: now).name == "app/\(number)")
    }
    #expect(try tokens.grant(of: token, at: now).name == "app/u1")
  }

  /// A missing claim grants nothing, and a key grants nothing beyond its datasets.
  @Test(arguments: [
    (#""layouts":["phone"],"may":["read"]"#, 403), (#""datasets":["feed"],"may":["read"]"#, 403),
    (#""datasets":["feed"],"layouts":["phone"]"#, 403),
    (#""datasets":["fee"],"layouts":["phone"],"may":["read"]"#, 403),
    (#""datasets":["fee*"],"layouts":["ph*"],"may":["read"]"#, 200),
    (#""datasets":["*"],"layouts":["*"],"may":["read"]"#, 403),
    (#""datasets":["x","feed"],"layouts":["y","phone"],"may":["read"]"#, 200),
    (#""datasets":["feed"],"layouts":["phone"],"may":["write"]"#, 403),
    (#""datasets":["feed"],"layouts":["phon"],"may":["read"]"#, 403),
    // A stated claim has a value: without `where` this would be a token for everything.
    (#""datasets":["feed"],"layouts":["phone"],"may":["read"],"where":null"#, 401),
    (#""datasets":["feed"],"layouts":["phone"],"may":["read"],"view":null"#, 401),
    (#""datasets":["feed"],"layouts":null,"may":["read"]"#, 401),
  ])
  func whatIsMissingGrantsNothing(claims: String, status: Int) async throws {
    try await run { service in
      let path = "\(Self.layout)/elements?rect=0,0,390,900"
      let answer = try await service.send("GET", path, headers: Self.token(claims))
      #expect(answer.status == status, "\(answer.text)")
      let other = Self.token(claims, by: "part")
      #expect(
        try await service.send("GET", path, headers: other).status == (status == 401 ? 401 : 403))
    }
  }

  @Test func aTokenOfOneLayoutReachesNoOther() async throws {
    try await run { service in
      let phone = try service.cache.layout(LayoutID("phone", of: "feed")).configuration
      try service.cache.setLayout(LayoutID("secret", of: "feed"), to: phone)
      _ = try service.cache.read(LayoutID("secret", of: "feed")) { _ in }
      let mine = Self.token(#""datasets":["fee*"],"layouts":["phone"],"may":["read","write"]"#)
      let layout = #""layout":{"container":{"width":9}}"#
      func send(_ method: String, _ path: String, _ body: String = "") async throws -> TestAnswer {
        try await service.send(
          method, path, headers: mine.merging(["Content-Type": "application/json"]) { $1 },
          body: body)
      }
      for (name, status) in [("secret", 403), ("phone", 201)] {
        let template = #"{"datasets":"feed","name":"\#(name)",\#(layout)}"#
        #expect(try await send("PUT", "/v1/templates/\(name)", template).status == status)
      }
      for form in [
        #""op":"prefer","key":"i1","length":9"#, #""op":"invalidate","everything":true"#,
      ] {
        for (name, status) in [("secret", 403), ("phone", 200)] {
          let batch = #"[{"op":"delete","keys":[]},{\#(form),"layout":"\#(name)"}]"#
          let answer = try await send("POST", "\(Self.dataset)/batches", batch)
          #expect(
            answer.status == status && !answer.text.contains(#""layout":"secret"#), "\(batch)")
        }
      }
      for path in [Self.dataset, "/v1/datasets", "\(Self.dataset)/layouts", "/v1/templates"] {
        let answer = try await send("GET", path)
        #expect(answer.text.contains("phone") && !answer.text.contains("secret"), "\(answer.text)")
      }
    }
  }

  @Test func aTokenOfAPartMayCallTheListedRoutesOnly() async throws {
    try await run { service in
      let headers = Self.token(
        #""datasets":["feed"],"layouts":["phone"],"may":["read","query"],"where":"owner = u1""#)
      for route in Routes.all where route.access != .open && !route.isScoped {
        let path = route.path.replacing("{dataset}", with: "feed")
          .replacing("{layout}", with: "phone").replacing("{id}", with: "1")
          .replacing("{view}", with: "v").replacing("{template}", with: "t")
        let answer = try await service.send(
          route.method.rawValue, path, headers: headers, body: route.method == .get ? "" : "{}")
        let isRefused = answer.status == 403 && answer.text.contains("out-of-scope")
        #expect(isRefused, "\(route.method) \(path): \(answer.text)")
      }
      #expect(Routes.all.count { $0.isScoped } == 7)
      #expect(try await service.send("GET", "/metrics", headers: headers).status == 401)
    }
  }

  /// A token's part is a view: the answers are those of the same filter, and differ between hidden
  /// and missing items in nothing.
  @Test func aViewerGetsItsPartAndNothingElse() async throws {
    try await run { service in
      let cache = service.cache
      try cache.setView("part", of: "feed", to: DatasetView(where: "owner = u1"))
      let free = Self.token(#""datasets":["feed"],"layouts":["phone"],"may":["read","query"]"#)
      let queries = [
        "/layouts/phone/elements?rect=0,0,390,9000&data=true", "/sections?layout=phone",
        "/layouts/phone/elements?from=0.0&count=2", "/layouts/phone/hit-test?point=1,60",
        "/items/i3?layout=phone", "/items?key=i0&layout=phone", "/layouts/phone/elements?since=1",
      ]
      for scope in [#""where":"owner = u1""#, #""view":"part""#] {
        let mine = Self.token("\(Self.mine),\(scope)")
        for query in queries {
          let own = try await service.send("GET", Self.dataset + query, headers: mine)
          let stated = try await service.send(
            "GET", "\(Self.dataset)\(query)&where=owner%20%3D%20u1", headers: free)
          #expect(own.status == 200 && own.text == stated.text, "\(query): \(own.text)")
          #expect(!own.text.contains("hidden"))
          #expect(own.headers["etag"] == stated.headers["etag"])
          #expect(own.headers["cache-control"]?.hasPrefix("private") ?? false)
          #expect(own.headers.filter { $0.key == "vary" }.description.contains("Authorization"))
        }
        for place in [
          "/items/KEY?layout=phone", "/items?key=KEY&layout=phone", "/items/KEY",
          "/layouts/phone/elements?from=KEY", "/layouts/phone/elements?from=KEY&view=part",
        ] {
          var answers: Set<String> = []
          // The second is hidden, the others do not exist.
          for key in ["i99", "i4", "i77"] {
            let path = Self.dataset + place.replacing("KEY", with: key)
            let answer = try await service.send("GET", path, headers: mine)
            #expect(answer.status == 404, "\(path): \(answer.text)")
            answers.insert("\(answer.status) \(answer.text.replacing(key, with: "KEY"))")
          }
          #expect(answers.count == 1, "\(answers)")
        }
        // Its only layout need not be named.
        for path in ["/items/i3", "/sections"] {
          let bare = try await service.send("GET", Self.dataset + path, headers: mine)
          let named = try await service.send(
            "GET", "\(Self.dataset)\(path)?layout=phone", headers: mine)
          #expect(bare.status == 200 && bare.text == named.text)
        }
      }
    }
  }

  @Test func aFilterOfTheViewerNarrowsItsPart() async throws {
    try await run { service in
      try service.cache.setView(
        "few", of: "feed", to: DatasetView(where: "n < 6 OR owner = hidden"))
      func keys(_ query: String, _ may: String) async throws -> (Int, [String]) {
        let answer = try await service.send(
          "GET", "\(Self.layout)/elements?from=0.0&\(query)",
          headers: Self.token(
            #""datasets":["feed"],"layouts":["phone"],"may":[\#(may)],"where":"owner = u1""#))
        let elements = answer.object["elements"] as? [[String: Any]] ?? []
        return (answer.status, elements.compactMap { $0["key"] as? String })
      }
      #expect(try await keys("view=few", #""read""#) == (200, ["i0", "i3"]))
      for query in ["where=n%20%3E%203", "order=-n"] {
        #expect(try await keys(query, #""read""#) == (403, []))
      }
      let found = try await keys(
        "where=n%20%3E%203%20OR%20owner%20%3D%20hidden&order=-n", #""read","query""#)
      #expect(found == (200, ["i9", "i6"]))
      #expect(try await keys("view=none", #""read""#).0 == 404)
    }
  }

  /// They are about items that a viewer does not see.
  @Test func aViewerGetsNoHints() async throws {
    try await run { service in
      let text = try ItemData(json: #"{"owner":"hidden","price":"12"}"#)
      try service.cache.update("feed", with: [.data(key: "i1", text)])
      for (scope, isHinted) in [
        ("", true), (#","where":"price < 5""#, false), (#","where":"n < 5""#, false),
      ] {
        let answer = try await service.send(
          "GET", "\(Self.layout)/elements?rect=0,0,390,90&where=price%20%3C%205",
          headers: Self.token(
            #""datasets":["feed"],"layouts":["phone"],"may":["read","query"]"# + scope))
        #expect(answer.status == 200 && answer.text.contains("hints") == isHinted, "\(answer.text)")
      }
    }
  }

  /// Tokens of pages, validators and stored answers are those of the part.
  @Test func aPageOfOneScopeIsNotThatOfAnother() async throws {
    try await run { service in
      let scopes = [#","where":"owner = u1""#, #","where":"owner = hidden""#, ""]
      let path = "\(Self.layout)/elements?from=0.0&count=2"
      for (index, scope) in scopes.enumerated() {
        let own = Self.token(Self.mine + scope)
        let first = try await service.send("GET", path, headers: own)
        let (tag, next) = (
          try #require(first.headers["etag"]), try #require(first.object["next"] as? String)
        )
        for (other, scope) in scopes.enumerated() {
          // Repeated, so that the answer is stored.
          for _ in 0..<3 {
            var headers = Self.token(Self.mine + scope)
            let after = try await service.send(
              "GET", "\(Self.layout)/elements?after=\(next)", headers: headers)
            #expect(after.status == (index == other ? 200 : 400), "\(after.text)")
            headers["If-None-Match"] = tag
            let known = try await service.send("GET", path, headers: headers)
            #expect(known.status == (index == other ? 304 : 200))
          }
        }
      }
    }
  }

  /// The `to` of an undo is a revision, that of a rename a dataset; that of a read is a layout.
  @Test func aTokenOfOneLayoutMayUndoToARevision() async throws {
    try await run { service in
      let revision = try service.cache.dataset("feed").revision
      try service.cache.update("feed", with: [.delete(keys: ["i1"])])
      let headers = Self.token(#""datasets":["feed*"],"layouts":["phone"],"may":["read","write"]"#)
      for (method, path, status) in [
        ("GET", "layouts/phone/transition?rect=0,0,9,9&to=wide", 403),
        ("POST", "undo?to=\(revision)&layout=wide", 403),
        ("POST", "undo?to=\(revision)&layout=phone", 200), ("POST", "rename?to=feed-2", 200),
      ] {
        let answer = try await service.send(method, "\(Self.dataset)/\(path)", headers: headers)
        #expect(answer.status == status, "\(path): \(answer.text)")
      }
    }
  }

  @Test func measuredLengthsOfAViewerAreChecked() async throws {
    try await run { service in
      let path = "\(Self.layout)/lengths"
      func take(_ lengths: String, _ claims: String) async throws -> String {
        let answer = try await service.send(
          "POST", path,
          headers: Self.token(claims).merging(["Content-Type": "application/json"]) { $1 },
          body: #"{"lengths":[\#(lengths)]}"#)
        return "\(answer.status) \(answer.text)"
      }
      let may = #""datasets":["feed"],"layouts":["phone"],"may":["measure"],"where":"owner = u1""#
      let height = try service.cache.read(LayoutID("phone", of: "feed")) { snapshot in
        try #require(try snapshot.length(ofItem: "i0")).laidOut.points
      }
      let revision = try service.cache.dataset("feed").revision
      // Of hidden and missing items, far from the present length, null, with a cross length.
      #expect(
        try await take(
          #"["i1",\#(height)],["i99",\#(height)],["i0",\#(height * 9)],["i0",\#(height / 9)]"#
            + #",["i0",null],["i0",\#(height),9]"#, may) == #"200 {"taken":0,"ignored":6}"#)
      #expect(try service.cache.dataset("feed").revision == revision)
      #expect(
        try await take(#"["i0",\#(height + 1)],["i3",\#(height + 2)]"#, may)
          == #"200 {"taken":2,"ignored":0}"#)
      // They are measured now.
      #expect(try await take(#"["i0",\#(height)]"#, may) == #"200 {"taken":0,"ignored":1}"#)
      let more = (0..<300).map { #"["x\#($0)",9]"# }.joined(separator: ",")
      #expect(try await take(more, may).hasPrefix("200"))
      #expect(try await take(#"["i6",\#(height)]"#, may) == #"200 {"taken":0,"ignored":1}"#)
      for (claims, status) in [
        (Self.mine, "403"), (#""datasets":["feed"],"may":["measure"]"#, "403"),
      ] { #expect(try await take(#"["i6",\#(height)]"#, claims).hasPrefix(status)) }
      let grid = #"{"container":{"width":100},"section":{"kind":"grid"}}"#
      try service.cache.setLayout(LayoutID("g", of: "feed"), to: ConfigurationText.decode(grid))
      let ofGrid = try await service.send(
        "POST", "\(Self.dataset)/layouts/g/lengths",
        headers: Self.token(#""datasets":["feed"],"layouts":["g"],"may":["measure"]"#),
        body: #"{"lengths":[["i0",30]]}"#)
      #expect(ofGrid.text == #"{"taken":0,"ignored":1}"#)
      let writer = #""datasets":["feed"],"layouts":["phone"],"may":["write"]"#
      #expect(
        try await take(#"["i6",\#(height * 20)],["i0",null],["none",1]"#, writer)
          == #"200 {"taken":2,"ignored":1}"#)
      for body in ["", "[]", #"{"lengths":{}}"#, #"{"lengths":[["i0"]]}"#, #"{"more":[]}"#] {
        let answer = try await service.send("POST", path, headers: Self.token(writer), body: body)
        #expect(answer.status == 422, "\(answer.text)")
      }
    }
  }

  @Test func aRateIsOfOneClientAndOneMinute() {
    let begin = ContinuousClock.now
    let seconds = Atomic(0)
    let rates = MeasuringRates(max: 5) { begin + .seconds(seconds.load(ordering: .relaxed)) }
    #expect(rates.take(3, for: "a") == 3 && rates.take(3, for: "a") == 2)
    #expect(rates.take(9, for: "b") == 5)
    seconds.store(59, ordering: .relaxed)
    #expect(rates.take(1, for: "a") == 0)
    seconds.store(60, ordering: .relaxed)
    #expect(rates.take(9, for: "a") == 5 && rates.take(1, for: "c") == 1)
  }

  /// Of hidden items it sends nothing, and of other layouts neither.
  @Test func aStreamTellsOfThePartUntilTheTokenEnds() async throws {
    try await run { service in
      var (end, text): (Int64, String) = (0, "")
      var stream = try await service.connect()
      // On a busy machine a token may end before the service has its request.
      for seconds: Int64 in [6, 24, 96] where !text.contains(": welcome") {
        end = Self.now + seconds
        let token = try #require(
          Self.token(Self.mine + #","where":"owner = u1""#, #""exp":\#(end)"#)["Authorization"])
        stream = try await service.connect()
        try await stream.write(
          "GET \(Self.dataset)/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(token)\r\n\r\n"
        )
        text = try await stream.readSome()
        while text.contains("200 OK"), !text.contains(": welcome") {
          text += try await stream.readSome()
        }
      }
      try service.cache.setLayout(
        LayoutID("secret", of: "feed"),
        to: service.cache.layout(LayoutID("phone", of: "feed")).configuration)
      _ = try service.cache.read(LayoutID("secret", of: "feed")) { _ in }
      try service.cache.update(
        "feed", with: [.resize(key: "i1", size: Size(width: 4, height: 5)), .delete(keys: ["i1"])])
      try service.cache.update("feed", with: [.invalidate(layout: "secret", everything: true)])
      try service.cache.update("feed", with: [.delete(keys: ["i3"])])
      while !text.hasSuffix("0\r\n\r\n") { text += try await stream.readSome() }
      #expect(text.split(separator: "event: commit").count == 2, "\(text)")
      #expect(!text.contains("i1") && !text.contains("secret"))
      #expect(Self.now >= end)
    }
  }
}
