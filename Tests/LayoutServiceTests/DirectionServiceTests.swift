import Foundation
import LayoutCache
import LayoutCacheService
import LayoutGeometry
import Testing

/// The layout direction as a parameter over HTTP.
@Suite struct DirectionServiceTests {
  private static let dataset = "/v1/datasets/feed"

  /// Runs a service with equal layouts `left` and `right`, in both directions.
  private func run(_ body: @Sendable @escaping (TestService) async throws -> Void) async throws {
    try await TestService.run { service in
      _ = try service.cache.importItems(into: "feed", mode: .create) { importer in
        for number in 0..<9 {
          try importer.add(
            Item(key: "i\(number)", width: Double(20 + 5 * number), height: 30), section: "s")
        }
      }
      for (name, direction) in [("left", "leftToRight"), ("right", "rightToLeft")] {
        try service.cache.setLayout(
          LayoutID(name, of: "feed"),
          to: ConfigurationText.decode(
            """
            {"container":{"width":100,"height":60},"layoutDirection":"\(direction)",
             "section":{"kind":"flow","header":10}}
            """))
      }
      try await body(service)
    }
  }

  /// JSON with its members in order.
  private static func text(of value: Any) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }

  private static let reads = [
    "layouts/L/elements?rect=0,0,60,70", "layouts/L/elements?from=i1&count=3",
    "layouts/L/hit-test?point=5,15", "items/i1?layout=L&anchor=3", "items?key=i1&layout=L",
    "sections?layout=L", "layouts/L/anchor?visible=0,9,50,50",
    "layouts/L/target-offset?offset=10,10", "layouts/L/movement?key=i0&point=5,45&rect=0,0,90,90",
    "layouts/L/transition?rect=0,0,50,50&finalRect=0,30,50,50",
  ]

  @Test(arguments: reads)
  func everyReadIsAnsweredAsByALayoutOfTheDirection(_ read: String) async throws {
    try await run { service in
      func answer(_ layout: String, _ direction: String = "") async throws -> TestAnswer {
        let path = read.replacingOccurrences(of: "=L", with: "=\(layout)")
          .replacingOccurrences(of: "/L/", with: "/\(layout)/")
        return try await service.send("GET", "\(Self.dataset)/\(path)\(direction)")
      }
      func content(_ answer: TestAnswer) throws -> String {
        #expect(answer.status == 200, "\(answer.text)")
        return try Self.text(
          of: answer.object.filter { !["layout", "incarnation", "next"].contains($0.key) })
      }
      for (layout, direction, other) in [
        ("left", "rightToLeft", "right"), ("right", "leftToRight", "left"),
      ] {
        let asked = try await answer(layout, "&direction=\(direction)")
        let expected = try await answer(other)
        #expect(try content(asked) == content(expected))
        let own = try await answer(layout)
        #expect(asked.headers["etag"].map { $0 != own.headers["etag"] } ?? true)
        // Known from the request before.
        let again = try await answer(layout, "&direction=\(direction)")
        #expect(again.text == asked.text)
      }
      let unknown = try await answer("left", "&direction=rtl")
      #expect(unknown.status == 400 && unknown.text.contains("'direction' must be one of"))
    }
  }

  @Test func aTokenKeepsItsDirection() async throws {
    try await run { service in
      let elements = "\(Self.dataset)/layouts/left/elements?"
      let first = try await service.send(
        "GET", "\(elements)rect=0,0,60,70&limit=2&direction=rightToLeft")
      let next = try #require(first.object["next"] as? String)
      let rest = try await service.send("GET", "\(elements)after=\(next)&limit=1")
      let whole = try await service.send("GET", "\(elements)rect=0,0,60,70&direction=rightToLeft")
      let (found, all) = (rest.object["elements"] as? [Any], whole.object["elements"] as? [Any])
      #expect(try Self.text(of: found?[0] as Any) == Self.text(of: all?[2] as Any))
      let same = try await service.send("GET", "\(elements)after=\(next)&direction=rightToLeft")
      #expect(same.status == 200)
      let other = try await service.send("GET", "\(elements)after=\(next)&direction=leftToRight")
      #expect(other.status == 400 && other.text.contains("'direction'"))
    }
  }

  @Test func changesTakeADirectionWhereTheyHavePositions() async throws {
    try await run { service in
      for layout in ["left", "right"] {
        _ = try await service.send("GET", "\(Self.dataset)/layouts/\(layout)/elements?rect=0,0,9,9")
      }
      let body = #"{"op":"insert","items":[{"key":"n","width":9,"height":9}],"section":"s"}"#
      func commit(_ query: String) async throws -> TestAnswer {
        try await service.send("POST", "\(Self.dataset)/batches?\(query)", body: body)
      }
      #expect(try await commit("direction=rightToLeft").status == 400)
      let known = try await commit("visible=0,0,50,50&layout=left&direction=rightToLeft")
      #expect(known.status == 200)
      for query in ["events?since=1&wait=0", "sections?", "items/i1?"] {
        let bare = try await service.send("GET", "\(Self.dataset)/\(query)&direction=rightToLeft")
        #expect(bare.status == 400 && bare.text.contains("requires 'layout'"), "\(query)")
      }
      // Intervals count from the leading edge.
      let changes = try await service.send(
        "GET", "\(Self.dataset)/events?since=1&wait=0&layout=left")
      let mirrored = try await service.send(
        "GET", "\(Self.dataset)/events?since=1&wait=0&layout=left&direction=rightToLeft")
      #expect(changes.status == 200 && mirrored.text == changes.text)
      let since = try await service.send(
        "GET",
        "\(Self.dataset)/layouts/left/elements?since=1&rect=0,0,9,9&direction=rightToLeft")
      #expect(since.status == 200)
    }
  }
}
