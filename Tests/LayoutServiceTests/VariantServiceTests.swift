import Foundation
import LayoutGeometry
import Synchronization
import Testing

@testable import LayoutCache
@testable import LayoutCacheService

/// Variants of responsive layouts over HTTP.
@Suite struct VariantServiceTests {
  private static let dataset = "/v1/datasets/feed"
  private static let layouts = "\(dataset)/layouts"

  private func id(_ name: String) -> LayoutID { LayoutID(name, of: "feed") }

  private func run(
    threadCount: Int = 8, keep: Int = 4,
    _ configure: (inout ServiceConfiguration) -> Void = { _ in },
    _ body: (TestService) async throws -> Void
  ) async throws {
    var options = LayoutCacheOptions()
    options.threadCountMax = threadCount
    let service = try await TestService(configure, cache: options)
    try service.makeFeed(items: 20)
    try service.cache.setLayout(
      id("any"),
      to: ConfigurationText.decode(
        #"{"container":{"widths":{"keep":\#(keep)}},"section":{"columns":1}}"#))
    let result: Result<Void, any Error>
    do { result = .success(try await body(service)) } catch { result = .failure(error) }
    try await service.stop()
    try service.cache.close()
    try result.get()
  }

  /// Has two other variants be laid out until `body` returns.
  private func whileOthersAreLaidOut<R>(
    _ service: TestService, _ body: () async throws -> R
  ) async throws -> R {
    let variants = service.cache.variants
    #expect(variants.beginFirstLayout(id("any@104")) && variants.beginFirstLayout(id("any@112")))
    defer {
      variants.endFirstLayout(id("any@104"))
      variants.endFirstLayout(id("any@112"))
    }
    return try await body()
  }

  @Test func aRequestThatWaitsTooLongIsToldWhenToRetry() async throws {
    try await run { service in
      let path = "\(Self.layouts)/any@200/elements?rect=0,0,200,300"
      try await whileOthersAreLaidOut(service) {
        let answer = try await service.send("GET", path)
        #expect(answer.status == 503 && answer.headers["retry-after"] == "1", "\(answer.text)")
        #expect(answer.object["type"] as? String == "/problems#preparing")
      }
      let later = try await service.send("GET", path)
      #expect(later.status == 200 && later.object["layout"] as? String == "any@200")
    }
  }

  private func widths(_ service: TestService) throws -> [String] {
    try service.cache.layout(id("any")).variants.map(\.name)
  }

  /// Each route that reads a layout, by the path that names it.
  private static let reads = [
    "layouts/any@W/elements?rect=0,0,9,9", "layouts/any@W/elements?since=0",
    "layouts/any@W/hit-test?point=1,1",
    "layouts/any@W/transition?rect=0,0,9,9", "layouts/phone/transition?rect=0,0,9,9&to=any@W",
    "layouts/any@W/anchor?visible=0,0,9,9", "layouts/any@W/target-offset?offset=0,0",
    "layouts/any@W/movement?key=i0&point=1,1",
    "sections?layout=any@W", "items/i0?layout=any@W", "events?since=0&wait=0&layout=any@W",
    "events?layout=any@W",
  ]

  /// Strangers: pages of other origins, and requests without a token where there are tokens.
  @Test(arguments: reads) func readsOfStrangersStoreNoWidth(path: String) async throws {
    try await run { service in
      _ = try await service.send("POST", "\(Self.layouts)/any@200/prepare")
      let target = "\(Self.dataset)/" + path.replacing("W", with: "304")
      for headers in [
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ["Origin": "https://other.example"],
      ] {
        let answer = try await service.send("HEAD", target, headers: headers)
        #expect(answer.status == 200, "\(answer.text)")
      }
      #expect(try widths(service) == ["any@200"])
      #expect(try await service.send("HEAD", target).status == 200)
      #expect(try widths(service) == ["any@200", "any@304"])
    }
    let tokens = try AccessTokens(
      text:
        "public read\nadmin write * 8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918"
    )
    try await run {
      $0.tokens = tokens
    } _: { service in
      let target = "\(Self.dataset)/" + path.replacing("W", with: "304")
      for (headers, expected) in [([:], []), (["Authorization": "Bearer admin"], ["any@304"])] {
        let answer = try await service.send("HEAD", target, headers: headers)
        #expect(answer.status == 200)
        #expect(try widths(service) == expected)
      }
    }
  }

  @Test(arguments: reads) func readsBeyondTheWidthsInUseAreAnsweredFromMemory(
    path: String
  ) async throws {
    try await run { service in
      for width in [200, 300, 400, 500, 600, 601, 700, 200] {
        let answer = try await service.send(
          "HEAD", "\(Self.dataset)/" + path.replacing("W", with: "\(width)"))
        #expect(answer.status == 200, "\(width): \(answer.text)")
      }
      #expect(try widths(service) == ["any@200", "any@296", "any@400", "any@496"])
      #expect(try await service.send("POST", "\(Self.layouts)/any@600/prepare").status == 200)
      #expect(try widths(service).contains("any@600"))
    }
  }

  /// Each form of request that computes its answer on the cache's threads.
  private static let waiting: [(method: String, path: String)] = [
    ("POST", "\(layouts)/any@200/prepare"),
    ("GET", "\(layouts)/any@208/transition?rect=0,0,200,300"),
    ("GET", "\(layouts)/phone/transition?rect=0,0,200,300&to=any@216"),
    ("GET", "\(layouts)/any@224/anchor?visible=0,0,200,300"),
    ("GET", "\(layouts)/any@232/movement?key=i0&point=1,1"),
    ("GET", "\(layouts)/any@240/elements?rect=0,0,200,300"),
  ]

  @Test func requestsThatWaitForAVariantBlockNoChanges() async throws {
    // A request that held one of the two threads would delay every change.
    try await run(threadCount: 2, keep: 16) { service in
      let statuses = Statuses()
      try await whileOthersAreLaidOut(service) {
        for (method, path) in Self.waiting {
          Task {
            var status: Int?
            // On a busy machine, the changes take longer than a request waits.
            repeat {
              status = try? await service.send(method, path).status
            } while status == 503
            statuses.add(status)
          }
        }
        for number in 0..<3 {
          // The requests arrive in the meantime. If they have not, the test only proves less.
          try await Task.sleep(for: .milliseconds(300))
          let change = try await service.send(
            "POST", "\(Self.dataset)/batches",
            body: #"{"op":"resize","key":"i\#(number)","width":3,"height":8}"#)
          #expect(change.status == 200, "\(change.text)")
        }
        #expect(statuses.all.isEmpty)
      }
      while statuses.all.count < Self.waiting.count { try await Task.sleep(for: .milliseconds(50)) }
      #expect(statuses.all == Array(repeating: 200, count: Self.waiting.count))
    }
  }

  private final class Statuses: Sendable {
    private let content = Mutex<[Int?]>([])
    var all: [Int?] { content.withLock { $0 } }
    func add(_ status: Int?) { content.withLock { $0.append(status) } }
  }

  @Test func creatingAVariantForAStreamOrALengthDoesNotWait() async throws {
    try await run { service in
      try await whileOthersAreLaidOut(service) {
        let batch = #"{"op":"prefer","layout":"any@200.5","key":"i0","length":30}"#
        #expect(
          try await service.send("POST", "\(Self.dataset)/batches", body: batch).status == 200)
        let changes = try await service.send(
          "GET", "\(Self.dataset)/events?since=2&wait=0&layout=any@300")
        #expect(changes.status == 200, "\(changes.text)")
        let list = try await service.send("GET", "\(Self.layouts)/any")
        let variants = list.object["variants"] as? [[String: Any]] ?? []
        #expect(variants.map { $0["layout"] as? String } == ["any@200", "any@296"])
        for variant in variants {
          #expect(variant["secondsSinceCreation"] as? Double ?? -1 >= 0)
          #expect(variant["secondsSinceUse"] as? Double ?? -1 >= 0)
          #expect(variant["bytes"] as? Int == 0)
        }
      }
    }
  }

  @Test func preparingTheNameWithoutAWidthPreparesEveryVariant() async throws {
    try await run { service in
      for width in [200, 300] { try service.cache.read(id("any@\(width)")) { _ in } }
      try service.cache.update("feed", with: [.delete(keys: ["i3"])], preparing: .none)
      let first = try await service.send("POST", "\(Self.layouts)/any/prepare")
      #expect(first.object["layout"] as? String == "any" && first.object["revision"] as? Int == 2)
      #expect(first.object["caughtUp"] as? Bool == true, "\(first.text)")
      let second = try await service.send("POST", "\(Self.layouts)/any/prepare")
      #expect(second.object["caughtUp"] as? Bool == false)
      let one = try await service.send("POST", "\(Self.layouts)/any@303/prepare")
      #expect(one.object["layout"] as? String == "any@296")
    }
  }
}
