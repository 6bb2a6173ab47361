import Foundation
import LayoutCache
import TestSupport
import Testing

@testable import LayoutCacheService

/// A request with an ambiguous end or an ambiguous target is rejected and has no effect.
@Suite struct FramingTests {
  @Test func http10ClientIsAnsweredAndDisconnected() async throws {
    try await TestService.fed { service in
      for (headers, status) in [
        ("", 200), ("Connection: keep-alive\r\n", 200), ("Host: localhost\r\n", 200),
        ("Host: evil.example\r\n", 421),
      ] {
        let connection = try await service.connect()
        try await connection.write("GET /v1/datasets/feed/export HTTP/1.0\r\n\(headers)\r\n")
        let text = String(decoding: try await connection.readToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.0 \(status) "), "\(text.prefix(40))")
        let head = text.components(separatedBy: "\r\n\r\n")[0].lowercased()
        #expect(head.contains("connection: close") && !head.contains("transfer-encoding"))
        if status == 200 { #expect(text.components(separatedBy: "\"key\":").count == 101) }
      }
    }
  }

  @Test(arguments: ["close", "Close", "close, TE"])
  func connectionCloseIsHonored(value: String) async throws {
    try await TestService.run { service in
      let connection = try await service.connect()
      try await connection.write(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: \(value)\r\n\r\n")
      let text = String(decoding: try await connection.readToEnd(), as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 200 ") && text.lowercased().contains("connection: close"))
    }
  }

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
