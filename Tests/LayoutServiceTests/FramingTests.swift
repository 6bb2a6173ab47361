import Foundation
import LayoutCache
import Testing

@testable import LayoutCacheService

/// A request with an ambiguous end or an ambiguous target is rejected and has no effect.
@Suite struct FramingTests {
  @Test func replacementWithoutRowsMustBeRequested() async throws {
    try await TestService.fed { service in
      let path = "/v1/datasets/feed/import?mode=replace&format=ndjson"
      let bad = #"{"key":"a","width":0,"height":1}"#
      for (query, body, status) in [
        ("", "", 409), ("&onInvalid=skip", bad, 409), ("&allowEmpty=false", "", 409),
        ("", bad, 422), ("&allowEmpty=yes", "", 400), ("&allowEmpty=0", "", 409),
      ] {
        let answer = try await service.send("POST", path + query, body: body)
        #expect(answer.status == status, "\(query) \(body): \(answer.text)")
        #expect(try service.cache.dataset("feed").itemCount == 100)
      }
      for (query, body) in [("", ""), ("&onInvalid=skip", bad)] {
        let answer = try await service.send("POST", "\(path)&allowEmpty=true\(query)", body: body)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try service.cache.dataset("feed").itemCount == 0)
      }
      // Creating a dataset from an empty body is allowed.
      let made = try await service.send("POST", "/v1/datasets/new/import?format=ndjson")
      #expect(made.status == 200)
    }
  }
}
