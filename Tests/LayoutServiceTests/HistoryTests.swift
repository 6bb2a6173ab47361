import LayoutCache
import LayoutCacheService
import LayoutGeometry
import TestSupport
import Testing

/// Changes and anchors over HTTP for clients that missed many commits, and the layouts that a
/// commit lists.
@Suite struct HistoryTests {
  private static let sections = [
    "waterfall": #""columns":2"#, "exact": #""columns":2,"assignment":"exact""#,
    "flow": #""kind":"flow""#, "grid": #""kind":"grid","columns":3"#,
    "justified": #""kind":"justified","targetRowLength":50"#,
    "carousel": #""kind":"carousel","spacing":4"#,
    "circle": #""kind":"circle","itemSize":{"width":20,"height":30}"#,
  ]

  @Test func changesReachBackThousandsOfCommits() async throws {
    try await TestService.run { service in
      try service.makeFeed(items: 60)
      for (name, section) in Self.sections {
        let layout = LayoutID(name, of: "feed")
        try service.cache.setLayout(
          layout,
          to: ConfigurationText.decode(#"{"container":{"width":390},"section":{\#(section)}}"#))
        try await service.cache.performPrepare(layout)
      }
      // Runs on threads of the cache: the service and its clients share the few threads of the
      // test.
      try await service.cache.perform { cache in
        for number in 1...2200 {
          try cache.update(
            "feed",
            with: [
              .resize(
                key: "i\(number * 7 % 60)",
                size: Size(width: 4, height: .points(Double(1 + number % 9))))
            ], preparing: .none)
        }
      }
      for name in Self.sections.keys.sorted() {
        let path = "/v1/datasets/feed/layouts/\(name)"
        for since in [1, 500, 1100, 2100] {
          let changes = try await service.send("GET", "\(path)/elements?since=\(since)").object
          let layouts = try #require(changes["layouts"] as? [[String: Any]])
          #expect(layouts[0]["everything"] as? Bool == false, "\(name) \(since)")
          for question in ["anchor?visible=0,0,390,100", "transition?rect=0,0,390,100"] {
            let answer = try await service.send("GET", "\(path)/\(question)&since=\(since)").object
            #expect(answer["everything"] as? Bool == false, "\(name) \(question) \(since)")
          }
        }
      }
    }
  }

  @Test func anchorOverHTTPMatchesTheCommit() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      let path = "/v1/datasets/feed"
      let answer = try await service.send(
        "POST", "\(path)/batches?layout=phone&visible=0,700,390,300",
        body: #"{"op":"insert","items":[{"key":"n","width":4,"height":4,"span":2}],"#
          + #""section":"s","index":0}"#)
      let layouts = try #require(answer.object["layouts"] as? [[String: Any]])
      let adjustment = try #require(layouts[0]["contentOffsetAdjustment"] as? [String: Double])
      let anchor = try await service.send(
        "GET", "\(path)/layouts/phone/anchor?visible=0,700,390,300&since=1")
      let offset = try #require(anchor.object["contentOffset"] as? [String: Double])
      #expect(offset["y"] == 700 + adjustment["y"]! && adjustment["y"] != 0)
    }
  }

  @Test func measurementListsItsLayoutAndTheRequestedOne() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      let wide = LayoutID("wide", of: "feed")
      try service.cache.setLayout(
        wide, to: ConfigurationText.decode(#"{"container":{"width":800},"section":{"columns":3}}"#)
      )
      func listed(_ query: String, _ body: String) async throws -> [String?] {
        let answer = try await service.send(
          "POST", "/v1/datasets/feed/batches\(query)", body: body)
        #expect(answer.status == 200)
        return (answer.object["layouts"] as? [[String: Any]] ?? []).map {
          $0["layout"] as? String
        }
      }
      func prefer(_ length: Int) -> String {
        #"{"op":"prefer","layout":"phone","key":"i2","length":\#(length)}"#
      }
      // Neither has been laid out yet.
      #expect(try await listed("?layout=wide", prefer(90)) == ["wide"])
      #expect(try await listed("?layout=phone", prefer(91)) == ["phone"])
      #expect(try await listed("", prefer(92)) == ["phone"])
      #expect(
        try await listed("", #"{"op":"delete","keys":["i5"]}"#) == ["phone", "wide"])
      let missing = try await service.send(
        "POST", "/v1/datasets/feed/batches?layout=none", body: prefer(93))
      #expect(missing.status == 404)
      #expect(try service.cache.dataset("feed").revision == 5)
    }
  }
}
