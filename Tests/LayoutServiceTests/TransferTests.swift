import LayoutCache
import Testing

@testable import LayoutCacheService

/// Imports and exports.
@Suite struct TransferTests {
  private static let type = ["Content-Type": "application/x-ndjson"]

  private func rows(_ range: Range<Int>) -> String {
    range.map {
      #"{"key":"i\#($0)","width":4,"height":\#(1 + $0 % 9),"section":"s\#($0 / 100)"}"# + "\n"
    }
    .joined()
  }

  @Test func matchImportMakesTheDatasetEqualTheBody() async throws {
    try await TestService.run { service in
      func send(_ query: String, _ body: String) async throws -> TestAnswer {
        try await service.send(
          "POST", "/v1/datasets/a/import?\(query)", headers: Self.type, body: body)
      }
      #expect(try await send("mode=match", rows(0..<5)).object["revision"] as? Int == 1)
      let matched = try await send("mode=match", rows(2..<7)).object
      #expect(matched["imported"] as? Int == 2 && matched["items"] as? Int == 5)
      #expect(try await send("mode=match", rows(2..<7)).object["revision"] as? Int == 2)
      #expect(try await send("mode=match", "").status == 409)
      #expect(try await send("mode=match&onDuplicate=update", rows(0..<1)).status == 400)
      let once = try await send("mode=match&onDuplicate=skip", rows(2..<7) + rows(2..<3)).object
      #expect(once["revision"] as? Int == 2 && once["duplicates"] as? Int == 1)
      #expect(try await send("mode=match", rows(0..<1) + rows(0..<1)).status == 409)
      let kept = try await send("mode=match&missing=keep", rows(9..<10)).object
      #expect(kept["items"] as? Int == 6 && kept["deleted"] as? Int == 0)
      #expect(try await send("mode=match&missing=keep", "").object["items"] as? Int == 6)
      #expect(try await send("mode=append&missing=keep", rows(20..<21)).status == 400)
      #expect(try await send("mode=match", rows(2..<7)).object["deleted"] as? Int == 1)
      let emptied = try await send("mode=match&allowEmpty=true", "").object
      #expect(emptied["items"] as? Int == 0 && emptied["revision"] as? Int == 5)
      #expect(try await send("mode=match", "").object["revision"] as? Int == 5)
    }
  }

  @Test func importProgressIsStreamed() async throws {
    try await TestService.run { service in
      let connection = try await service.connect()
      let text = rows(0..<50)
      try await connection.write(
        "POST /v1/datasets/a/import?id=slow HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Type: application/x-ndjson\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
          + text.prefix(100))
      while try await service.send("GET", "/v1/datasets/a/imports/slow").status == 404 {}
      let watcher = try await service.connect()
      try await watcher.write(
        "GET /v1/datasets/a/imports/slow HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
      )
      var events = ""
      while !events.contains("event: receiving") { events += try await watcher.readSome() }
      try await connection.write(String(text.dropFirst(100)))
      #expect(try await connection.read().status == 200)
      while !events.contains("event: done") { events += try await watcher.readSome() }
      #expect(events.contains("\"imported\":50"))
    }
  }

  /// A client that disconnects leaves no data, and its thread becomes free.
  @Test func abandonedImportStoresNothing() async throws {
    try await TestService.fed {
      $0.limits.importsMax = 1
    } _: { service in
      for (name, mode) in [("a", "create"), ("feed", "append"), ("feed", "replace")] {
        let path = "/v1/datasets/\(name)/imports/\(mode)"
        let connection = try await service.connect()
        try await connection.write(
          "POST /v1/datasets/\(name)/import?mode=\(mode)&id=\(mode) HTTP/1.1\r\n"
            + "Host: localhost\r\nContent-Type: application/x-ndjson\r\n"
            + "Content-Length: 100000\r\n\r\n" + rows(0..<100).replacing("\"i", with: "\"n"))
        while try await service.send("GET", path).object["bytes"] as? Int ?? 0 == 0 {}
        let busy = try await service.send(
          "POST", "/v1/datasets/b/import", headers: Self.type, body: rows(0..<1))
        #expect(busy.status == 503 && busy.headers["retry-after"] != nil)
        connection.abort()
        while try await service.send("GET", path).object["state"] as? String != "failed" {}
        #expect(try service.cache.datasets().map(\.name) == ["feed"])
        let feed = try service.cache.dataset("feed")
        #expect(feed.revision == 1 && feed.itemCount == 100)
      }
      let done = try await service.send(
        "POST", "/v1/datasets/a/import", headers: Self.type, body: rows(0..<1))
      #expect(done.status == 200)
    }
  }
}
