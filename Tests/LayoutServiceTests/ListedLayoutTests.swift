import LayoutCache
import LayoutCacheService
import LayoutGeometry
import TestSupport
import Testing

/// The layouts that a commit lists.
@Suite struct ListedLayoutTests {
  @Test func measurementListsItsLayoutAndTheRequestedOne() async throws {
    try await TestService.fed { service in
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
