import LayoutCache
import Testing

/// `If-Match` and `If-None-Match` of layouts.
@Suite struct LayoutConditionTests {
  private static func path(_ layout: String) -> String { "/v1/datasets/feed/layouts/\(layout)" }

  private static func text(columns: Int, width: Int = 390) -> String {
    #"{"container":{"width":\#(width)},"section":{"columns":\#(columns)}}"#
  }

  /// Every pair of conditions, for a missing layout and for one of another configuration.
  @Test func layoutIsSetOnlyIfItIsAsExpected() async throws {
    try await TestService.fed { service in
      let tag = try #require(try await service.send("GET", Self.path("phone")).headers["etag"])
      for name in ["phone", "new"] {
        let exists = name == "phone"
        let (own, other) = (tag, "W/\"other\"")
        let matches = [
          nil: true, "*": exists, own: exists, other: false, "\(other), \(own)": exists,
        ]
        let excludes = [nil: true, "*": !exists, own: !exists, other: true]
        for (ifMatch, isMatched) in matches {
          for (ifNoneMatch, isAllowed) in excludes {
            var headers = ["Content-Type": "application/json"]
            headers["If-Match"] = ifMatch
            headers["If-None-Match"] = ifNoneMatch
            let answer = try await service.send(
              "PUT", Self.path(name), headers: headers, body: Self.text(columns: 5))
            let found = try? service.cache.layout(LayoutID(name, of: "feed"))
            if isMatched && isAllowed {
              #expect(answer.status == (exists ? 200 : 201), "\(headers)")
              #expect(found?.configuration.section.columns == 5)
              #expect(answer.headers["etag"] != own)
            } else {
              #expect(answer.status == 412, "\(headers)")
              #expect(answer.object["etag"] as? String == (exists ? own : nil))
              #expect(found?.configuration.section.columns == (exists ? 2 : nil))
            }
            if exists {
              let old =
                #"{"container":{"width":390},"section":{"columns":2,"columnSpacing":8,"header":40}}"#
              let restored = try await service.send(
                "PUT", Self.path(name), headers: ["Content-Type": "application/json"], body: old)
              #expect(restored.headers["etag"] == own)
            } else if found != nil {
              try service.cache.removeLayout(LayoutID(name, of: "feed"))
            }
          }
        }
      }
    }
  }

  /// Every condition, for a layout, for a variant and for a missing layout.
  @Test(arguments: ["phone", "any@200", "new"]) func layoutIsRemovedOnlyIfItIsAsExpected(
    name: String
  ) async throws {
    try await TestService.fed { service in
      let id = LayoutID(name, of: "feed")
      let parent = LayoutID(String(name.prefix { $0 != "@" }), of: "feed")
      try service.cache.setLayout(
        LayoutID("any", of: "feed"),
        to: ConfigurationText.decode(#"{"container":{"widths":{}},"section":{"columns":1}}"#))
      if name != "new" { try service.cache.read(id) { _ in } }
      let tag = try await service.send("GET", Self.path(name)).headers["etag"] ?? "\"none\""
      for (headers, isMet) in [
        (["If-Match": "W/\"other\""], false), (["If-None-Match": "*"], false),
        (["If-None-Match": tag], false), (["If-Match": "\"other\", \(tag)"], true),
      ] {
        let removed = try await service.send("DELETE", Self.path(name), headers: headers)
        #expect(removed.status == (name == "new" ? 404 : isMet ? 204 : 412), "\(headers)")
        if removed.status == 412 { #expect(removed.object["etag"] as? String == tag) }
        let layouts = (try? service.cache.layoutsWithResult(of: parent)) ?? []
        #expect(layouts.contains(id) == (name != "new" && !isMet), "\(headers)")
      }
    }
  }

  /// Measured lengths are dropped before a layout is set: not if it is not set.
  @Test func rejectedLayoutKeepsItsMeasuredLengths() async throws {
    try await TestService.fed { service in
      try service.cache.update(
        "feed",
        with: [
          .preferLengths(layout: "phone", [MeasuredLength(key: "i0", length: 50)], missing: .ignore)
        ])
      let answer = try await service.send(
        "PUT", Self.path("phone"),
        headers: ["Content-Type": "application/json", "If-Match": "\"other\""],
        body: Self.text(columns: 2, width: 400))
      #expect(answer.status == 412)
      #expect(try service.cache.dataset("feed").revision == 2)
    }
  }
}
