import Foundation
import LayoutCache
import LayoutCacheService
import TestSupport
import Testing

/// Requests are rejected before their body is read.
@Suite struct RefusalTests {
  @Test func oversizedBodyIsRejectedUnread() async throws {
    try await TestService.run {
      $0.limits.batchBytesMax = 1_000
    } _: { service in
      try service.makeFeed()
      let announced = try await service.connect()
      try await announced.write(
        "POST /v1/datasets/feed/batches HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n"
      )
      let answer = try await announced.read()
      #expect(answer.status == 413 && answer.headers["connection"] == "close")
      // The connection ends although the body was never sent.
      #expect(try await announced.readToEnd().isEmpty)
      let chunked = try await service.connect()
      try await chunked.write(
        "POST /v1/datasets/feed/batches HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "7d0\r\n" + String(repeating: " ", count: 2_000) + "\r\n0\r\n\r\n")
      #expect(try await chunked.read().status == 413)
    }
  }

  @Test func errorsShowNoPathsOfTheMachine() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      try service.cache.close()
      let answer = try await service.send("GET", "/v1/datasets/feed")
      #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
      #expect(!answer.text.contains(service.directory.path(of: "")))
      #expect(try await service.send("GET", "/readyz").status == 503)
      #expect(try await service.send("GET", "/healthz").status == 200)
    }
  }

  @Test func stoppingTheServiceEndsOpenRequests() async throws {
    let service = try await TestService { $0.timeouts.drain = .seconds(2) }
    let idle = try await service.connect()
    #expect(try await idle.send("GET", "/healthz").status == 200)
    let stalled = try await service.connect()
    try await stalled.write(
      "POST /v1/datasets/a/import?format=ndjson HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Length: 1000\r\n\r\n{\"key\":\"a\"")
    try await service.stop()
    #expect(try await idle.readToEnd().isEmpty)
    await #expect(throws: TestConnection.Failure.self) { try await service.connect() }
    try service.cache.close()
  }
}
