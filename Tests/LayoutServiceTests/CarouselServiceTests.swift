import Foundation
import LayoutCache
import LayoutCacheService
import LayoutGeometry
import Testing

/// Scroll positions of carousels over HTTP.
@Suite struct CarouselServiceTests {
  private static let dataset = "/v1/datasets/feed"
  private static let layout = "\(dataset)/layouts/strip"

  private func run(_ body: @Sendable @escaping (TestService) async throws -> Void) async throws {
    try await TestService.run { service in
      _ = try service.cache.importItems(into: "feed", mode: .create) { importer in
        for number in 0..<3 {
          try importer.add(Item(key: "i\(number)", width: 60, height: 30), section: "x=1")
        }
      }
      try service.cache.setLayout(
        LayoutID("strip", of: "feed"),
        to: ConfigurationText.decode(
          """
          {"container":{"width":100},
           "section":{"kind":"carousel","spacing":10,"scrolling":"groupPaging"}}
          """))
      try await body(service)
    }
  }

  private func cells(_ answer: TestAnswer) -> [String] {
    (answer.object["elements"] as? [[String: Any]] ?? []).map { element in
      "\(element["key"] ?? "") \((element["frame"] as? [String: Double])?["x"] ?? -1)"
    }
  }

  @Test func everyQueryTakesOffsets() async throws {
    try await run { service in
      let elements = "\(Self.layout)/elements?rect=0,0,100,30"
      let plain = try await service.send("GET", elements)
      #expect(cells(plain) == ["i0 0.0", "i1 70.0"])
      let scrolled = try await service.send("GET", "\(elements)&offset=x%3D1%3D50&offset=gone=7")
      #expect(cells(scrolled) == ["i0 -50.0", "i1 20.0", "i2 90.0"])
      let last = try await service.send("GET", "\(elements)&offset=x=1=1e300")
      #expect(cells(last) == ["i1 -30.0", "i2 40.0"])
      let carousel = ["contentLength": 200.0, "offset": 50, "maximumOffset": 100]
      let sections = try await service.send(
        "GET", "\(Self.dataset)/sections?layout=strip&offset=x=1=50")
      let rows = sections.object["sections"] as? [[String: Any]]
      #expect(rows?.first?["carousel"] as? [String: Double] == carousel)
      let item = try await service.send(
        "GET", "\(Self.dataset)/items/i2?layout=strip&offset=x=1=50")
      #expect(item.object["carousel"] as? [String: Double] == carousel)
      let hit = try await service.send("GET", "\(Self.layout)/hit-test?point=95,9&offset=x=1=50")
      #expect(hit.object["key"] as? String == "i2")
      let transition = try await service.send(
        "GET", "\(Self.layout)/transition?rect=0,0,100,30&finalOffset=x=1=100")
      #expect((transition.object["appearing"] as? [Any])?.count == 1)
      let movement = try await service.send(
        "GET", "\(Self.layout)/movement?key=i0&point=95,9&offset=x=1=50")
      #expect(movement.object["targetIndexPath"] as? [Int] == [0, 2])
      let anchor = try await service.send(
        "GET", "\(Self.layout)/anchor?visible=0,0,100,30&offset=x=1=100")
      #expect(anchor.object["key"] as? String == "i1")
    }
  }

  @Test func validatorsAndTokensContainTheOffsets() async throws {
    try await run { service in
      let elements = "\(Self.layout)/elements?rect=0,0,100,30"
      func tag(_ query: String) async throws -> String {
        try #require(try await service.send("GET", elements + query).headers["etag"])
      }
      let plain = try await tag("")
      let one = try await tag("&offset=x=1=50")
      let other = try await tag("&offset=x=1=51")
      #expect(plain != one && other != one)
      // The same scroll positions in other words.
      let two = try await tag("&offset=b=1&offset=x=1=5")
      let same = try await tag("&offset=x=1=5.0&offset=b=1")
      #expect(two == same)
      let start = try await tag("&offset=x=1=0")
      #expect(start == plain)
      let pinned = try await service.send(
        "GET", "\(elements)&offset=x=1=50&at=\(one.dropFirst(3).dropLast())")
      #expect(pinned.status == 200)
      let first = try await service.send("GET", "\(elements)&offset=x=1=50&limit=1")
      let next = try #require(first.object["next"] as? String)
      let rest = try await service.send("GET", "\(Self.layout)/elements?after=\(next)&limit=9")
      #expect(cells(rest) == ["i1 20.0", "i2 90.0"])
      let mismatch = try await service.send(
        "GET", "\(Self.layout)/elements?after=\(next)&offset=x=1=51")
      #expect(mismatch.status == 400)
    }
  }

  @Test func targetsOfACarouselFollowItsOption() async throws {
    try await run { service in
      func target(_ query: String) async throws -> TestAnswer {
        try await service.send("GET", "\(Self.layout)/target-offset?section=x%3D1&\(query)")
      }
      #expect(try await target("offset=30").object["carouselOffset"] as? Double == 0)
      #expect(try await target("offset=40").object["carouselOffset"] as? Double == 70)
      #expect(try await target("offset=99&from=0").object["carouselOffset"] as? Double == 70)
      #expect(try await target("offset=71&velocity=1").object["carouselOffset"] as? Double == 100)
      #expect(try await target("offset=1,1").status == 400)
      #expect(try await target("offset=1&size=9,9").status == 400)
      let gone = try await service.send("GET", "\(Self.layout)/target-offset?section=x&offset=1")
      #expect(gone.status == 404)
    }
  }

  @Test func invalidOffsetsAreRejected() async throws {
    try await run { service in
      let elements = "\(Self.layout)/elements?rect=0,0,100,30"
      for text in ["x", "=5", "x=", "x=nan", "x=inf", "x=1,5", ""] {
        #expect(
          try await service.send("GET", "\(elements)&offset=\(text)").status == 400, "\(text)")
      }
      let twice = try await service.send("GET", "\(elements)&offset=x=1&offset=x=2")
      #expect(twice.status == 400)
      let many = (0..<257).map { "&offset=s\($0)=1" }.joined()
      let answer = try await service.send("GET", elements + many)
      #expect(answer.status == 400)
      #expect((answer.object["detail"] as? String)?.contains("the limit is 256") == true)
      #expect(
        try await service.send("GET", "\(Self.layout)/elements?since=1&offset=x=1").status == 400)
      let rects = "rect=0,0,9,9&rect=0,9,9,9"
      #expect(
        try await service.send("GET", "\(Self.layout)/elements?since=1&\(rects)").status == 400)
      #expect(try await service.send("GET", "\(Self.dataset)/sections?offset=x=1").status == 400)
    }
  }
}
