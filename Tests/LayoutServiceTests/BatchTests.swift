import LayoutCache
import LayoutCacheService
import Testing

/// Changes over HTTP.
@Suite struct BatchTests {
  private static let path = "/v1/datasets/feed/batches"

  /// HTTP libraries send JSON by default: one operation, over any number of lines, or an array.
  @Test(arguments: [
    (#"{"op":"delete","keys":["i0"]}"#, 200),
    ("\n{\n\"op\":\"delete\",\n\"keys\":[\"i0\"]\n}\n", 200),
    (#"[{"op":"delete","keys":["i0"]},{"op":"delete","keys":["i1"]}]"#, 200), ("[]", 422),
    (#"[{"op":"delete","keys":["i0"]},{"op":"delete","keys":["i0"]}]"#, 409), ("[{]", 422),
    (#"{"op":"delete","keys":["i0"]},{"op":"delete","keys":["i1"]"#, 422), ("7", 422), ("", 422),
  ])
  func jsonIsABatchToo(body: String, status: Int) async throws {
    try await TestService.fed { service in
      let answer = try await service.send(
        "POST", Self.path, headers: ["Content-Type": "application/json; charset=utf-8"], body: body)
      #expect(answer.status == status, "\(answer.text)")
      #expect(try service.cache.dataset("feed").revision == (status == 200 ? 2 : 1))
    }
  }

  /// curl sends a file as a form by default.
  @Test(arguments: ["application/x-ndjson", "application/x-www-form-urlencoded"])
  func arrayIsABatchOfAnyType(type: String) async throws {
    try await TestService.fed { service in
      let body = #"[{"op":"delete","keys":["i0"]},{"op":"delete","keys":["i0"]}]"#
      let headers = ["Content-Type": type]
      let answer = try await service.send("POST", Self.path, headers: headers, body: body)
      #expect(answer.status == 409, "\(answer.text)")
      let half = try await service.send(
        "POST", Self.path, headers: headers, body: #"[{"op":"delete","keys":["i0"]}]"#)
      #expect(half.status == 200, "\(half.text)")
    }
  }
}
