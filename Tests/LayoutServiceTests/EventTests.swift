import Foundation
import LayoutCache
import LayoutCacheService
import LayoutGeometry
import Testing

/// Event streams and long polling.
@Suite struct EventTests {
  private static let path = "/v1/datasets/feed/events"

  /// A stream that is read event by event.
  private final class Stream {
    struct Event: Equatable {
      var name: String
      var id: String
      var data: String
    }

    struct Refused: Error {}

    let connection: TestConnection
    private var text = ""

    init(_ service: TestService, _ query: String = "", last: String? = nil) async throws {
      connection = try await service.connect()
      let header = last.map { "Last-Event-ID: \($0)\r\n" } ?? ""
      try await connection.write(
        "GET \(EventTests.path)\(query) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n")
      // The head and the first comment.
      while !text.contains(": welcome") {
        text += try await connection.readSome()
        if text.contains("\r\n"), !text.hasPrefix("HTTP/1.1 200") { throw Refused() }
      }
      text = String(text[text.range(of: ": welcome")!.upperBound...])
    }

    /// Returns the next event, or `nil` at the end.
    func next() async throws -> Event? {
      while true {
        if let range = text.range(
          of: #"event: [^\n]*\n(id: [^\n]*\n)?data: [^\n]*\n"#, options: .regularExpression)
        {
          let lines = text[range].split(separator: "\n")
          text = String(text[range.upperBound...])
          func value(_ name: String) -> String {
            lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? ""
          }
          return Event(name: value("event: "), id: value("id: "), data: value("data: "))
        }
        let more = try await connection.readSome()
        if more.isEmpty { return nil }
        text += more
      }
    }
  }

  private func resize(_ number: Int) throws -> [BatchOperation] {
    let height = try #require(Length(points: Double(10 + number)))
    return [.resize(key: "i0", size: Size(width: 4, height: height))]
  }

  /// With the changes in the view if its result is in memory, else as everything.
  @Test(arguments: [true, false])
  func theNextEventOfAViewIsOfACommitThatChangesIt(isInMemory: Bool) async throws {
    try await TestService.fed { service in
      func set(_ key: String, _ number: Double) throws {
        try service.cache.update(
          "feed", with: [.data(key: key, try ItemData(json: #"{"n":\#(number)}"#))])
      }
      for number in 0..<8 { try set("i\(number)", Double(number)) }
      let present = try service.cache.dataset("feed")
      let query = "layout=phone&where=n%20%3C%204"
      let view = try DatasetView(where: "n < 4")
      let phone = LayoutID("phone", of: "feed")
      try service.cache.read(phone, showing: isInMemory ? view : nil) { _ in }
      let last = "\(present.revision).\(present.incarnation)"
      let stream = try await Stream(service, "?\(query)", last: last)
      try set("i6", 7)
      try set("i7", 0.5)
      let event = try #require(try await stream.next())
      #expect(event.name == "commit" && event.id.hasPrefix("\(present.revision + 2)."))
      #expect(event.data.contains(#""everything":true,"reason":"temporary""#) != isInMemory)
      try set("i5", 6)
      try set("i1", 50)
      let next = try #require(try await stream.next())
      #expect(next.id.hasPrefix("\(present.revision + 4)."))
      if isInMemory {
        #expect(event.data.contains(#"{"op":"insert","key":"i7""#), "\(event.data)")
        #expect(next.data.contains(#"{"op":"delete","key":"i1""#), "\(next.data)")
        // The first commit may have been read alone, or with the second.
        let since = [2, 3].map { #""since":\#(present.revision + $0),"# }
        #expect(since.contains { next.data.contains($0) }, "\(next.data)")
        try service.cache.read(phone, showing: view) { snapshot in
          let result = try #require(snapshot.incarnation.rawValue.split(separator: "-").last)
          #expect(event.data.contains(result))
        }
      }
      let other = try await Stream(service, "?\(query)", last: last)
      #expect(try await other.next()?.name == "reset")
    }
  }

  @Test func aStreamOfAViewThatIsRemovedEndsWithTheNextCommit() async throws {
    try await TestService.fed { service in
      try service.cache.setView("low", of: "feed", to: DatasetView(where: "key = i1"))
      let stream = try await Stream(service, "?view=low&layout=phone")
      try service.cache.removeView("low", of: "feed")
      try service.cache.update("feed", with: resize(1))
      #expect(try await stream.next()?.name == "gone")
    }
  }

  /// Another configuration is not a commit: clients learn of it from an event without an id.
  @Test(arguments: ["query", "commit", "invalidate"])
  func theNextEventReportsAnotherConfiguration(before: String) async throws {
    try await TestService.fed { service in
      let phone = LayoutID("phone", of: "feed")
      func incarnation() throws -> String {
        try service.cache.read(phone) { $0.incarnation.rawValue }
      }
      let old = try incarnation()
      let stream = try await Stream(service, "?layout=phone")
      var configuration = try service.cache.layout(phone).configuration
      configuration.section.columns = 1
      try service.cache.setLayout(phone, to: configuration)
      if before == "query" { #expect(try incarnation() != old) }
      let operations: [BatchOperation] =
        before == "invalidate" ? [.invalidate(layout: "phone", everything: true)] : try resize(1)
      try service.cache.update("feed", with: operations)
      let told = try #require(try await stream.next())
      #expect(told.name == "layout" && told.id.isEmpty)
      // An event that is sent after the layout was laid out again has the new incarnation.
      if before == "commit" { #expect(told.data == #"{"layout":"phone","incarnation":""}"#) }
      let event = try #require(try await stream.next())
      #expect(event.name == "commit" && event.id.hasPrefix("2."))
      let data = try JSONSerialization.jsonObject(with: Data(event.data.utf8)) as? [String: Any]
      let layout = try #require((data?["layouts"] as? [[String: Any]])?.first)
      let new = try incarnation()
      // Until the layout is laid out again, events describe the previous result. A layout that a
      // commit invalidates may be laid out before or after the event is sent.
      let reported = ["query": [new], "commit": [old], "invalidate": [old, new]][before] ?? []
      #expect(new != old)
      let incarnation = try #require(layout["incarnation"] as? String)
      #expect(reported.contains { $0.hasSuffix("-\(incarnation)") })
      #expect(layout["everything"] as? Bool == (before == "invalidate"))
    }
  }

  /// A number alone may be a revision of a dataset that had the name before.
  @Test func streamBeginsWithAResetAfterAnUnknownState() async throws {
    try await TestService.fed { service in
      let own = try service.cache.dataset("feed").incarnation
      for (query, last) in [
        ("", "1"), ("", "0"), ("", "9"), ("", "1.other"), ("?incarnation=\(own)", "1.other"),
        ("?incarnation=other", "1"), ("?incarnation=\(own)", "x"), ("", "-1.\(own)"),
        ("", "9.\(own)"), ("", "."), ("", "1."), ("", "\(Int.max).\(own)"),
      ] {
        let stream = try await Stream(service, query, last: last)
        let event = try #require(try await stream.next())
        #expect(event.name == "reset" && event.id == "1.\(own)", "\(query) \(last)")
      }
    }
  }

  @Test func aStreamOfAViewTellsOfCommitsThatMayChangeIt() async throws {
    try await TestService.fed { service in
      func number(_ number: Int) throws -> ItemData { try ItemData(json: #"{"n":\#(number)}"#) }
      try service.cache.update("feed", with: (0..<100).map { .data(key: "i\($0)", try number($0)) })
      let query = "?where=n%20%3C%204&layout=phone"
      let stream = try await Stream(service, query)
      let changes: [(BatchOperation, isInView: Bool)] = [
        (.data(key: "i50", try number(51)), false),
        (.resize(key: "i50", size: Size(width: 4, height: 30)), false),
        (.delete(keys: ["i60"]), false), (.data(key: "i50", try number(1)), true),
        (.resize(key: "i50", size: Size(width: 4, height: 40)), true),
        (.data(key: "i50", nil), true), (.move(key: "i3", to: .before("i20")), true),
        (.move(key: "i50", to: .before("i20")), false), (.delete(keys: ["i2"]), true),
      ]
      for (number, (change, isInView)) in changes.enumerated() {
        let revision = try service.cache.update("feed", with: [change]).revision
        // Another change in the view shows that no event was sent, and that the next change comes
        // after this one was judged.
        try service.cache.update("feed", with: resize(number))
        for expected in isInView ? [revision, revision + 1] : [revision + 1] {
          let event = try #require(try await stream.next())
          #expect(event.name == "commit" && event.id.hasPrefix("\(expected)."), "\(event)")
          #expect(event.data.contains(#""updates":{"everything":true,"reason":"temporary"}"#))
        }
      }
      let resumed = try await Stream(service, query + "&since=1")
      #expect(try await resumed.next()?.name == "reset")
      await #expect(throws: Stream.Refused.self) {
        try await Stream(service, query + "&since=1&wait=1")
      }
    }
  }

  @Test func streamLimitCountsOnlyOpenStreams() async throws {
    try await TestService.fed {
      $0.limits.streamsMax = 2
    } _: { service in
      let kept = try await Stream(service)
      for _ in 0..<3 {
        // The slot of the previous stream is free as soon as its end is noticed.
        var left: Stream?
        while left == nil { left = try? await Stream(service) }
        let refused = try await service.send("GET", Self.path)
        #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
        left?.connection.abort()
      }
      withExtendedLifetime(kept) {}
    }
  }

  @Test func jsonRequestGetsNoEventStream() async throws {
    try await TestService.fed { service in
      let answer = try await service.send("GET", Self.path, headers: ["Accept": "application/json"])
      #expect(answer.status == 406)
    }
  }
}
