import LayoutCache
import LayoutCacheService
import TestSupport
import Testing

/// Changes over HTTP.
@Suite struct BatchTests {
  private static let path = "/v1/datasets/feed/batches"

  private func resize(_ key: String, to height: Int) -> String {
    #"{"op":"resize","key":"\#(key)","width":4,"height":\#(height)}"# + "\n"
  }

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
        "POST", Self.path, headers: ["Content-Type": "application/json; charset=utf-8"],
        body: body)
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

  @Test func commitsAfterARevisionAreUndone() async throws {
    try await TestService.fed { service in
      for key in ["i5", "i6"] {
        let body = #"{"op":"delete","keys":["\#(key)"]}"#
        #expect(try await service.send("POST", Self.path, body: body).status == 200)
      }
      let undo = "/v1/datasets/feed/undo?layout=phone&to="
      for (target, revision, status) in [
        ("1", "2", 412), ("4", "3", 400), ("0", "3", 409), ("x", "3", 400),
      ] {
        let answer = try await service.send("POST", undo + target, headers: ["If-Match": revision])
        #expect(answer.status == status, "\(answer.text)")
      }
      let answer = try await service.send("POST", undo + "1", headers: ["If-Match": "3"])
      #expect(answer.status == 200 && answer.object["revision"] as? Int == 4, "\(answer.text)")
      let undone = try #require(answer.object["undone"] as? [String: Any])
      #expect(undone["summary"] as? String == "undid revisions 2 to 3: deletion of 2 items")
      #expect(undone["first"] as? Int == 2 && undone["last"] as? Int == 3)
      #expect(answer.object["columns"] as? String == "placed")
      let other = try await service.send("POST", Self.path, body: resize("i0", to: 9))
      #expect(other.object["undone"] == nil && other.object["columns"] == nil)
    }
  }
}
