import Foundation
import LayoutCache
import LayoutService
import TestSupport
import Testing

/// What is refused is refused before its body is read.
@Suite struct RefusalTests {
  @Test func whoWaitsToBeAskedIsAskedOnlyForWhatIsTaken() async throws {
    try await TestService.run { service in
      let refused = try await service.connect()
      try await refused.write(
        "POST /v1/datasets/none/batches?nonsense=1 HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: 10000000000\r\nExpect: 100-continue\r\n\r\n")
      #expect(try await refused.read().status == 400)
      let taken = try await service.connect()
      let body = #"{"key":"a","width":1,"height":1}"#
      try await taken.write(
        "POST /v1/datasets/a/import?format=ndjson HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
      #expect(try await taken.read().status == 100)
      try await taken.write(body)
      #expect(try await taken.read().status == 200)
    }
  }

  @Test func aBodyThatIsTooLongIsNotRead() async throws {
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
      // The connection ends, though the body never came.
      #expect(try await announced.readToEnd().isEmpty)
      let chunked = try await service.connect()
      try await chunked.write(
        "POST /v1/datasets/feed/batches HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "7d0\r\n" + String(repeating: " ", count: 2_000) + "\r\n0\r\n\r\n")
      #expect(try await chunked.read().status == 413)
    }
  }

  @Test func whatIsNoRequestIsAnsweredAndClosed() async throws {
    try await TestService.run { service in
      for text in [
        "nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
      ] {
        let connection = try await service.connect()
        try await connection.write(text)
        let answer = String(decoding: try await connection.readToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 4"), "\(text.prefix(40)): \(answer.prefix(40))")
      }
      #expect(try await service.send("GET", "/healthz").status == 200)
    }
  }

  @Test func anErrorShowsNothingOfTheMachine() async throws {
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

  @Test func aServiceThatStopsEndsWhatIsUnderWay() async throws {
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
