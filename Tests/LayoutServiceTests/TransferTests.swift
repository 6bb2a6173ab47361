import LayoutCache
import TestSupport
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

  @Test func exportCanBeImportedAgain() async throws {
    try await TestService.run { service in
      let text = rows(0..<2_500)
      let first = try await service.send(
        "POST", "/v1/datasets/a/import", headers: Self.type, body: text)
      #expect(first.status == 200 && first.object["imported"] as? Int == 2_500)
      for (format, type) in [("ndjson", "application/x-ndjson"), ("csv", "text/csv")] {
        let export = try await service.send("GET", "/v1/datasets/a/export?format=\(format)")
        #expect(export.headers["transfer-encoding"] == "chunked")
        let again = try await service.send(
          "POST", "/v1/datasets/\(format)/import", headers: ["Content-Type": type],
          body: export.text)
        #expect(again.object["sections"] as? Int == 25)
        let copy = try await service.send("GET", "/v1/datasets/\(format)/export?format=\(format)")
        #expect(copy.body == export.body)
      }
    }
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

  /// HEAD has no body to end, and a client may disconnect before the first byte.
  @Test func abandonedExportsFreeTheirSlots() async throws {
    try await TestService.run {
      $0.limits.exportsMax = 1
    } _: { service in
      let text = rows(0..<20_000)
      _ = try await service.send("POST", "/v1/datasets/a/import", headers: Self.type, body: text)
      for _ in 0..<3 {
        var status = 503
        while status == 503 {
          status = try await service.send("HEAD", "/v1/datasets/a/export").status
        }
        #expect(status == 200)
      }
      var export = try await service.send("GET", "/v1/datasets/a/export")
      while export.status == 503 {
        export = try await service.send("GET", "/v1/datasets/a/export")
      }
      #expect(export.text == text.replacing("\"}\n", with: "\",\"span\":1}\n"))
    }
  }

  /// Slow exports once blocked all imports, and slow imports all exports.
  @Test func importsAndExportsDoNotWaitForEachOther() async throws {
    try await TestService.run {
      // One client has at most two of each.
      $0.limits.importsMax = 3
      $0.limits.exportsMax = 3
    } _: { service in
      let text = rows(0..<40_000)
      _ = try await service.send("POST", "/v1/datasets/a/import", headers: Self.type, body: text)
      func export(until status: Int) async throws -> TestAnswer {
        while true {
          let answer = try await service.send("HEAD", "/v1/datasets/a/export")
          if answer.status == status { return answer }
        }
      }
      var held: [TestConnection] = []
      for _ in 0..<2 {
        let connection = try await service.connect()
        try await connection.write("GET /v1/datasets/a/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
        held.append(connection)
      }
      #expect(try await export(until: 503).headers["retry-after"] != nil)
      for mode in ["create", "append"] {
        let done = try await service.send(
          "POST", "/v1/datasets/b/import?mode=\(mode)", headers: Self.type,
          body: mode == "create" ? rows(0..<9) : rows(9..<12))
        #expect(done.status == 200)
      }
      // Closed with unread bytes: the service learns that immediately.
      held = []
      _ = try await export(until: 200)

      for number in 0..<2 {
        let connection = try await service.connect()
        try await connection.write(
          "POST /v1/datasets/c\(number)/import?id=held HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n"
            + rows(0..<1))
        while try await service.send("GET", "/v1/datasets/c\(number)/imports/held").status == 404 {}
        held.append(connection)
      }
      let refused = try await service.send(
        "POST", "/v1/datasets/d/import", headers: Self.type, body: rows(0..<1))
      #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
      var all = try await service.send("GET", "/v1/datasets/b/export")
      // Exports abandoned a moment ago may still hold their slots.
      while all.status == 503 { all = try await service.send("GET", "/v1/datasets/b/export") }
      #expect(all.status == 200 && all.body.count(where: { $0 == 10 }) == 12)
      held = []
    }
  }
}
