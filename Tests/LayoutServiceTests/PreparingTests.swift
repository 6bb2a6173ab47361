import Dispatch
import Foundation
import HTTPTypes
import LayoutCache
import Testing

@testable import LayoutCacheService

/// Requests for a layout that is being laid out for longer than requests wait.
@Suite struct PreparingTests {
  private static let phone = LayoutID("phone", of: "feed")
  private static let layout = "/v1/datasets/feed/layouts/phone"

  /// Runs `body` while a thread lays the layout out, and stops in its middle until `body` has ended.
  private func whileLayingOut(
    _ service: TestService, _ body: () async throws -> Void
  ) async throws {
    let (begun, isOver) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    let ended = AsyncStream<Void>.makeStream()
    Thread { [cache = service.cache] in
      var isFirst = true
      do {
        _ = try cache.prepare(Self.phone) { _ in
          guard isFirst else { return }
          isFirst = false
          begun.continuation.yield()
          isOver.wait()
        }
      } catch { Issue.record(error) }
      ended.continuation.finish()
    }.start()
    defer { isOver.signal() }
    for await _ in begun.stream { break }
    try await body()
    isOver.signal()
    for await _ in ended.stream {}
  }

  /// A request of each route that reads a layout.
  private static let queries =
    [
      "elements?rect=0,0,390,800",
      "hit-test?point=20,100", "transition?rect=0,0,390,800&to=other",
      "anchor?visible=0,0,390,800&to=other", "target-offset?offset=0,10",

      "movement?key=i1&point=20,200",
    ].map { "\(layout)/\($0)" } + [
      "/v1/datasets/feed/sections?layout=phone", "/v1/datasets/feed/items/i1?layout=phone",
    ]

  @Test func aQueryIsRepeatedUntilTheLayoutIsReady() async throws {
    try await TestService.fed(items: 20_000) {
      $0.timeouts.preparing = .milliseconds(50)
    } _: { service in
      let phone = try service.cache.layout(Self.phone).configuration
      let other = LayoutID("other", of: "feed")
      try service.cache.setLayout(other, to: phone)
      try service.cache.prepare(other)
      let routes = Routes.all.filter {
        $0.method == .get && $0.path.contains("/{layout}/") && !$0.describesLayout
      }
      #expect(routes.count == Set(Self.queries.dropLast(2).map { $0.prefix { $0 != "?" } }).count)
      try await whileLayingOut(service) {
        for query in Self.queries {
          let answer = try await service.send("GET", query)
          #expect(answer.status == 503, "\(query)")
          #expect(answer.object["type"] as? String == "/problems#preparing", "\(query)")
          #expect(answer.headers["retry-after"] == "1", "\(query)")
        }
        let prepare = try await service.send("POST", Self.layout + "/prepare")
        #expect(prepare.object["type"] as? String == "/problems#preparing")
        // Other layouts and routes are answered, and a client that leaves ends nothing.
        let other = try await service.send("GET", "/v1/datasets/feed/sections?layout=other")
        #expect(other.status == 200)
        let client = try await service.connect()
        try await client.write("GET \(Self.queries[0]) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.abort()
      }
      try service.cache.prepare(Self.phone)
      for query in Self.queries {
        #expect(try await service.send("GET", query).status == 200, "\(query)")
      }
    }
  }

  /// Work for a client that has gone does not keep the service from ending.
  @Test func workEndsWithTheService() async throws {
    let (ended, end) = AsyncStream<Bool>.makeStream()
    let preparations = Preparations(secondsMax: .milliseconds(1))
    await #expect(throws: Problem.self) {
      try await preparations.wait(for: .request("a")) {
        // Ends early only by the cancellation, which is the subject.
        try? await Task.sleep(for: .seconds(3_600))
        end.yield(Task.isCancelled)
      }
    }
    preparations.endAll()
    for await isCancelled in ended {
      #expect(isCancelled)
      break
    }
  }
}
