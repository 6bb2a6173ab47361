import Foundation
import LayoutCache
import LayoutCacheService
import TestSupport
import Testing

/// Behaviour common to all routes.
@Suite struct RouteTests {
  @Test func unknownPathIsAProblem() async throws {
    try await TestService.run { service in
      for path in ["/v1", "/v1/nothing", "/elsewhere", "/v1/datasets/a/b/c/d/e/f"] {
        let answer = try await service.send("GET", path)
        #expect(answer.status == 404, "\(path)")
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(answer.object["type"] as? String == "/problems#route-not-found")
      }
    }
  }

  @Test func wrongMethodIsToldTheAllowedMethods() async throws {
    try await TestService.run { service in
      let answer = try await service.send("PATCH", "/v1/datasets/feed")
      #expect(answer.status == 405)
      #expect(answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PUT")
      let options = try await service.send("OPTIONS", "/v1/datasets/feed")
      #expect(options.status == 204)
      #expect(options.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PUT")
    }
  }

  /// A client that removes the layout `..` must not remove its dataset.
  @Test func changesAtPathsThatEndWithASlashHaveNoRoute() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      for (method, path) in [
        ("DELETE", "/v1/datasets/feed/"), ("PUT", "/v1/datasets/feed/"),
        ("DELETE", "/v1/datasets/feed/layouts/phone/"),
      ] {
        let answer = try await service.send(method, path)
        #expect(answer.status == 404, "\(method) \(path)")
      }
      #expect(try await service.send("GET", "/v1/datasets/feed/layouts/phone").status == 200)
    }
  }

  @Test func headAnswersLikeGetWithoutABody() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      let get = try await service.send("GET", "/v1/datasets/feed")
      let head = try await service.send("HEAD", "/v1/datasets/feed")
      #expect(head.status == 200)
      #expect(head.headers["content-length"] == get.headers["content-length"])
      #expect(head.body.isEmpty && !get.body.isEmpty)
    }
  }

  @Test(arguments: [
    ("rect=0,0,1", "400"), ("rect=0,0,-1,1", "400"), ("rect=a,0,1,1", "400"),
    ("rect=0,0,1,1&rekt=1", "400"), ("rect=0,0,1,1&limit=1&limit=2", "400"),
    ("rect=0,0,1,1&limit=0", "400"), ("rect=%zz", "400"), ("rect=%ff", "400"),
    ("rect=0,0,1,1&after=nonsense", "400"), ("", "400"), ("rect=0,0,1,1&limit=1", "200"),
    ("rect=0%2C0%2C1%2C1", "200"),
  ])
  func queryParametersAreParsedStrictly(query: String, status: String) async throws {
    try await TestService.run { service in
      try service.makeFeed()
      let answer = try await service.send(
        "GET", "/v1/datasets/feed/layouts/phone/elements?\(query)")
      #expect(String(answer.status) == status, "\(answer.text)")
    }
  }

  /// `next` is the `after` of the next page, in the listing of sections as in the others; a page
  /// requested by its index continues by index.
  @Test(arguments: ["", "&layout=phone"]) func sectionsArePagedByKeyAndByIndex(
    layout: String
  ) async throws {
    try await TestService.run { service in
      _ = try service.cache.importItems(into: "feed", mode: .create) { importer in
        for section in ["a", "a b", "c&d", "é", "z"] {
          try importer.add(Item(key: "item of \(section)", width: 40, height: 40), section: section)
        }
      }
      try service.cache.setLayout(
        LayoutID("phone", of: "feed"),
        to: ConfigurationText.decode(#"{"container":{"width":300},"section":{"kind":"grid"}}"#))
      func page(_ query: String) async throws -> (keys: [String], next: Any?) {
        let answer = try await service.send("GET", "/v1/datasets/feed/sections?\(query)\(layout)")
        #expect(answer.status == 200, "\(answer.text)")
        let sections = answer.object["sections"] as? [[String: Any]] ?? []
        return (sections.compactMap { $0["sectionKey"] as? String }, answer.object["next"])
      }
      var keys: [String] = []
      var query = "limit=2"
      while true {
        let (more, next) = try await page(query)
        keys += more
        guard let next else { break }
        let key = try #require(next as? String)
        let escaped = try #require(
          key.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        query = "limit=2&after=\(escaped)"
        try #require(keys.count < 6)
      }
      #expect(keys == ["a", "a b", "c&d", "é", "z"])
      let indexed = try await page("from=1&limit=2")
      #expect(indexed.keys == ["a b", "c&d"])
      #expect(indexed.next as? Int == 3)
      for (refused, status) in [
        ("after=nowhere", 404), ("after=a&from=0", 400), ("limit=1&count=1", 400),
      ] {
        let answer = try await service.send(
          "GET", "/v1/datasets/feed/sections?\(refused)\(layout)")
        #expect(answer.status == status, "\(refused): \(answer.text)")
      }
    }
  }

  /// The inspector stores its state in the query of its URL, so reloading sends that query.
  @Test func inspectorPageIgnoresItsQuery() async throws {
    try await TestService.run { service in
      let page = try await service.send("GET", "/?dataset=feed&layout=phone&utm=1")
      #expect(page.status == 200 && page.text.contains("<html"))
      #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
      #expect(try await service.send("GET", "/healthz?from=probe").status == 200)
    }
  }

  @Test func namesAreOnePercentEncodedSegment() async throws {
    try await TestService.run { service in
      let made = try await service.send("PUT", "/v1/datasets/a%2Fb%20%C3%A4")
      #expect(made.status == 201)
      #expect(made.object["dataset"] as? String == "a/b ä")
      #expect(try service.cache.dataset("a/b ä").revision == 1)
      let again = try await service.send("PUT", "/v1/datasets/a%2Fb%20%C3%A4")
      #expect(again.status == 200)
      let removed = try await service.send("DELETE", "/v1/datasets/a%2Fb%20%C3%A4")
      #expect(removed.status == 204)
      let gone = try await service.send("GET", "/v1/datasets/a%2Fb%20%C3%A4")
      #expect(gone.status == 404)
    }
  }

  /// URL parsers take the segments `.` and `..` for steps in the path.
  @Test func itemsAreFoundByTheKeyInTheQuery() async throws {
    try await TestService.run { service in
      try service.makeFeed(items: 2)
      let keys = [".", "..", "a/b", "é", "e\u{301}", "x&y=z", "+ %"]
      try service.cache.update(
        "feed",
        with: [.insert(keys.map { try Item(key: $0, width: 4, height: 4) }, at: .end(section: "s"))]
      )
      for key in keys {
        let text = try #require(key.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        for query in ["key=\(text)", "layout=phone&key=\(text)&anchor=5"] {
          let answer = try await service.send("GET", "/v1/datasets/feed/items?\(query)")
          let found = answer.object["key"] as? String
          #expect(found.map { Array($0.utf8) } == Array(key.utf8), "\(answer.text)")
        }
      }
      for (query, status) in [("", 400), ("?key=", 400), ("?key=none", 404), ("?key=i0&at=x", 400)]
      {
        let answer = try await service.send("GET", "/v1/datasets/feed/items\(query)")
        #expect(answer.status == status, "\(query)")
      }
    }
  }

  @Test func listContinuesAfterItsLastRow() async throws {
    try await TestService.run { service in
      for name in ["b", "a", "d", "c", "e"] { try service.cache.createDataset(name) }
      var names: [String] = []
      var path = "/v1/datasets?limit=2"
      while true {
        let page = try await service.send("GET", path).object
        let rows = try #require(page["datasets"] as? [[String: Any]])
        names += rows.compactMap { $0["dataset"] as? String }
        guard let next = page["next"] as? String else { break }
        path = "/v1/datasets?limit=2&after=\(next)"
      }
      #expect(names == ["a", "b", "c", "d", "e"])
    }
  }

  @Test func renameThatAnotherFollowsIsNotMissing() async throws {
    try await TestService.run { service in
      for round in 0..<200 {
        let (first, second, third) = ("a\(round)", "b\(round)", "c\(round)")
        try service.cache.createDataset(first)
        let cache = service.cache
        // Renames the dataset as soon as it has its second name; until then that fails.
        let other = Thread {
          while !Thread.current.isCancelled, (try? cache.renameDataset(second, to: third)) == nil {}
        }
        other.start()
        let answer = try await service.send("POST", "/v1/datasets/\(first)/rename?to=\(second)")
        // 404 would mean that the dataset was not renamed.
        #expect([200, 503].contains(answer.status))
        other.cancel()
        while !other.isFinished { try await Task.sleep(for: .milliseconds(1)) }
      }
    }
  }
}
