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

  @Test(arguments: [
    ("{\"op\":\"fly\"}", 422), ("{\"op\":\"delete\",\"keys\":[\"missing\"]}", 409),
    ("{\"op\":\"resize\",\"key\":\"i0\",\"width\":0,\"height\":1}", 422), ("nonsense", 422),
    ("", 422),
  ])
  func rejectedBatchNamesTheLine(line: String, status: Int) async throws {
    try await TestService.fed { service in
      let answer = try await service.send("POST", Self.path, body: "\n" + line)
      #expect(answer.status == status, "\(answer.text)")
      if !line.isEmpty { #expect(answer.object["line"] as? Int == 2) }
      #expect(try service.cache.dataset("feed").revision == 1)
    }
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

  @Test func batchForAnotherRevisionIsRejected() async throws {
    try await TestService.fed { service in
      func send(_ match: String, _ height: Int) async throws -> TestAnswer {
        try await service.send(
          "POST", Self.path, headers: ["If-Match": match], body: resize("i0", to: height))
      }
      #expect(try await send("\"1\"", 20).status == 200)
      let late = try await send("1", 21)
      #expect(late.status == 412 && late.object["revision"] as? Int == 2)
      #expect(try await send("*", 22).status == 200)
      #expect(try await send("W/\"x\"", 23).status == 400)
      let stated = try await service.send(
        "POST", "\(Self.path)?expect=1", body: resize("i0", to: 24))
      #expect(stated.status == 412)
      #expect(try service.cache.dataset("feed").revision == 3)
    }
  }

  @Test func repeatedIdempotencyKeyAppliesTheBatchOnce() async throws {
    try await TestService.fed { service in
      func send(_ key: String, _ body: String, match: String? = nil) async throws -> TestAnswer {
        var headers = ["Idempotency-Key": key]
        headers["If-Match"] = match
        return try await service.send("POST", Self.path, headers: headers, body: body)
      }
      let insert = #"{"op":"insert","items":[{"key":"new","width":1,"height":1}],"section":"s"}"#
      let first = try await send("a", insert, match: "1")
      #expect(first.status == 200 && first.headers["idempotency-replayed"] == nil)
      // The key is looked up before the revision is checked.
      let again = try await send("a", insert, match: "1")
      #expect(again.status == 200 && again.body == first.body)
      #expect(again.headers["idempotency-replayed"] == "true")
      #expect(try await send("a", resize("i0", to: 9)).status == 422)
      #expect(try await send("b", insert).status == 409)
      // A rejected request is not stored with its key.
      #expect(try await send("b", resize("i0", to: 9)).status == 200)
      #expect(try service.cache.dataset("feed").revision == 3)
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

  @Test func latestCommitIsUndoneOnce() async throws {
    try await TestService.fed { service in
      let undo = "/v1/datasets/feed/undo?layout=phone&visible=0,500,390,800"
      #expect(try await service.send("POST", undo).status == 409)
      let change = try await service.send(
        "POST", Self.path, body: #"{"op":"delete","keys":["i5"]}"#)
      #expect(change.status == 200)
      let late = try await service.send("POST", undo, headers: ["If-Match": "1"])
      #expect(late.status == 412 && late.object["revision"] as? Int == 2)
      let headers = ["If-Match": "\"2\"", "Idempotency-Key": "a"]
      let first = try await service.send("POST", undo, headers: headers)
      #expect(first.status == 200 && first.headers["layoutcache-revision"] == "3", "\(first.text)")
      let updates = try #require(first.object["updates"] as? [String: Any])
      let operations = (updates["items"] as? [[String: Any]])?.map { $0["op"] as? String }
      #expect(operations == ["insert"])
      #expect((first.object["layouts"] as? [[String: Any]])?.count == 1)
      let again = try await service.send("POST", undo, headers: headers)
      #expect(again.body == first.body && again.headers["idempotency-replayed"] == "true")
      let other = try await service.send("POST", "/v1/datasets/feed/undo", headers: headers)
      #expect(other.status == 422)
      #expect(try service.cache.dataset("feed").revision == 3)
      #expect(try await service.send("POST", "/v1/datasets/none/undo").status == 404)
    }
  }
}
