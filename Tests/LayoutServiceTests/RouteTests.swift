import Foundation
import HTTPTypes
import LayoutCache
import TestSupport
import Testing

@testable import LayoutCacheService

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

  /// Each path with each method that it does not support.
  @Test func unsupportedMethodsAreToldTheAllowedMethods() async throws {
    let folder = try TemporaryDirectory()
    try await TestService.run {
      $0.pagesFolder = folder.path(of: "")
    } _: { service in
      try service.makeFeed()
      var methods = Dictionary(grouping: Routes.all, by: \.path).mapValues {
        Set($0.map(\.method.rawValue))
      }
      methods["/pages"] = ["GET"]
      methods["/pages/a.html"] = ["GET"]
      #expect(methods.count > 30)
      for (path, own) in methods {
        let names = ["dataset": "feed", "layout": "phone", "key": "i0", "name": "a", "id": "1"]
        let target = names.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
        let all = own.union(own.contains("GET") ? ["OPTIONS", "HEAD"] : ["OPTIONS"])
        let allowed = all.sorted().joined(separator: ", ")
        let connection = try await service.connect()
        let options = try await connection.send("OPTIONS", target)
        #expect(options.status == 204 && options.headers["allow"] == allowed, "\(path)")
        for method in ServiceResponder.methods.map(\.rawValue) where !all.contains(method) {
          // The target of CONNECT is not a path.
          if method == "CONNECT" { continue }
          let sent = method == "MSEARCH" ? "M-SEARCH" : method
          let answer = try await connection.send(sent, target)
          #expect(answer.status == 405, "\(method) \(path)")
          #expect(answer.headers["allow"] == allowed, "\(method) \(path)")
        }
        // A stream of events does not end.
        guard own.contains("GET"), !path.hasSuffix("/events") else { continue }
        let get = try await service.send("GET", target)
        let head = try await service.send("HEAD", target)
        #expect(head.status == get.status && head.body.isEmpty, "\(path)")
        // The length of a streamed answer is unknown.
        let hasLength = get.headers["content-length"] != nil && path != "/metrics"
        for name in ["content-type", "etag"] + (hasLength ? ["content-length"] : []) {
          #expect(head.headers[name] == get.headers[name], "\(name) of \(path)")
        }
      }
      for method in ["FROB", "get"] {
        #expect(try await service.send(method, "/v1/datasets").status == 400)
      }
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
