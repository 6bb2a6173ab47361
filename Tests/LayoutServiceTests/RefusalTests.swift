import Foundation
import LayoutCache
import LayoutCacheService
import TestSupport
import Testing

/// Rejected requests, and their messages.
@Suite struct RefusalTests {
  @Test func oversizedChunkedBodyIsRejected() async throws {
    try await TestService.fed {
      $0.limits.batchBytesMax = 1_000
    } _: { service in
      let chunked = try await service.connect()
      try await chunked.write(
        "POST /v1/datasets/feed/batches HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "7d0\r\n" + String(repeating: " ", count: 2_000) + "\r\n0\r\n\r\n")
      #expect(try await chunked.read().status == 413)
    }
  }

  @Test func errorsShowNoPathsOfTheMachine() async throws {
    try await TestService.fed { service in
      try service.cache.close()
      let answer = try await service.send("GET", "/v1/datasets/feed")
      #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
      #expect(!answer.text.contains(service.directory.path(of: "")))
      #expect(try await service.send("GET", "/readyz").status == 503)
      #expect(try await service.send("GET", "/healthz").status == 200)
    }
  }

  /// An export that has failed frees its place.
  @Test func exportsThatCannotBeginAreRejected() async throws {
    try await TestService.fed {
      $0.limits.exportsMax = 1
    } _: { service in
      for (path, status) in [
        ("none/export", 404), ("none/export?preferredLengths=true", 404),
        ("feed/export?format=tsv", 400), ("feed/export", 200),
      ] {
        let answer = try await service.send("GET", "/v1/datasets/\(path)")
        #expect(answer.status == status, "\(path): \(answer.text)")
      }
    }
  }

  @Test func booleansOfOtherLanguagesAreAccepted() async throws {
    try await TestService.fed { service in
      let path = "/v1/datasets/feed/layouts/phone/elements?from=i9&count=2&backward="
      for (text, keys) in [
        ("true", ["i9", "i8"]), ("True", ["i9", "i8"]), ("1", ["i9", "i8"]),
        ("false", ["i9", "i10"]), ("False", ["i9", "i10"]), ("0", ["i9", "i10"]),
      ] {
        let answer = try await service.send("GET", path + text)
        let elements = answer.object["elements"] as? [[String: Any]]
        #expect(elements?.compactMap { $0["key"] as? String } == keys, "\(text): \(answer.text)")
      }
      for text in ["TRUE", "yes", "2", ""] {
        #expect(try await service.send("GET", path + text).status == 400, "\(text)")
      }
    }
  }
}
