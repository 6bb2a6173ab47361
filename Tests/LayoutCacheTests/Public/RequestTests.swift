import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// A repeated request is applied once.
@Suite struct RequestTests {
  private let feed: TestFeed
  private let clock = TestClock(milliseconds: 1_000_000_000_000)

  init() throws {
    feed = try TestFeed(
      [OracleSection("s", sizes: [(1, 5), (1, 5)])],
      configuration: #"{"container":{"width":1},"section":{"columns":1}}"#)
  }

  private func open() throws -> LayoutCache {
    try LayoutCache(path: feed.path, clock: clock.clock)
  }

  private func request(
    _ key: String, owner: String = "", body: UInt8 = 1
  ) throws -> IdempotentRequest {
    try IdempotentRequest(key: key, owner: owner, bodyHash: [body])
  }

  /// Sends a batch that inserts an item.
  private func send(
    _ item: String, _ request: IdempotentRequest, to cache: LayoutCache,
    dataset: String = "feed", expecting: Int? = nil, answer: String = "done"
  ) throws -> ChangeOutcome {
    let item = try Item(key: item, width: 1, height: 1)
    return try cache.update(
      dataset, with: [.insert([item], at: .end(section: "s"))], expecting: expecting,
      once: request
    ) { Array("\(answer) \($0.revision)".utf8) }
  }

  private func expectReplay(
    _ outcome: ChangeOutcome, revision: Int, answer: String?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .replayed(let found, let text) = outcome else {
      Issue.record("\(outcome)", sourceLocation: sourceLocation)
      return
    }
    #expect(found == revision, sourceLocation: sourceLocation)
    #expect(
      text.map { String(decoding: $0, as: UTF8.self) } == answer, sourceLocation: sourceLocation)
  }

  @Test func totalAnswerBytesAreBoundedAndRequestsStayKnown() throws {
    let cache = try open()
    _ = try cache.importItems(into: "other", mode: .create) { try $0.addSection("s") }
    _ = try send("o", request("o"), to: cache, dataset: "other")
    let long = String(repeating: "x", count: (64 << 10) - 8)
    // Every third answer is short.
    for number in 0..<450 {
      let (key, answer) = ("\(number)", number % 3 == 0 ? "short" : long)
      _ = try send("i\(number)", request(key), to: cache, answer: answer)
      if number % 50 == 7 { try cache.update("feed", with: [.delete(keys: ["i\(number)"])]) }
    }
    func stored(_ condition: String) throws -> Int64 {
      try #require(
        try RawDatabase(path: feed.path).rows(
          "SELECT coalesce(sum(length(answer)), 0) FROM requests WHERE \(condition)")[0][0].number)
    }
    let dataset = try #require(
      try RawDatabase(path: feed.path).rows("SELECT id FROM datasets WHERE name = 'feed'")[0][0]
        .number)
    let bytes = try stored("dataset = \(dataset)")
    #expect(bytes <= 16 << 20 && bytes > (16 << 20) - (128 << 10))
    expectReplay(try send("again", request("0"), to: cache), revision: 2, answer: nil)
    expectReplay(try send("again", request("1"), to: open()), revision: 3, answer: nil)
    expectReplay(
      try send("again", request("449"), to: open()), revision: 460, answer: "\(long) 460")
    expectReplay(
      try send("again", request("o"), to: cache, dataset: "other"), revision: 2, answer: "done 2")
    #expect(try cache.verify().problems.isEmpty)
    // Expired answers do not count.
    clock.advance(by: 3 * 24 * 60 * 60 * 1000)
    for number in 0..<40 { _ = try send("j\(number)", request("j\(number)"), to: cache) }
    #expect(try stored("dataset = \(dataset)") < 16 << 20)
    expectReplay(try send("again", request("j0"), to: cache), revision: 461, answer: "done 461")
  }

  @Test func aDamagedRowDoesNotBlockOtherRequests() throws {
    let cache = try open()
    let long = String(repeating: "x", count: (64 << 10) - 8)
    for number in 0..<3 {
      _ = try send("a\(number)", request("\(number)"), to: cache, answer: long)
    }
    try RawDatabase(path: feed.path).execute("UPDATE requests SET time = time + 1 WHERE key = '1'")
    for number in 3..<300 {
      _ = try send("a\(number)", request("\(number)"), to: cache, answer: long)
    }
    expectReplay(try send("again", request("0"), to: cache), revision: 2, answer: nil)
    #expect(throws: LayoutCacheError.self) { try send("again", request("1"), to: cache) }
  }

  @Test func keysAreScopedToOwnerAndDataset() throws {
    let cache = try open()
    _ = try cache.importItems(into: "other", mode: .create) { try $0.addSection("s") }
    _ = try send("a", request("1"), to: cache)
    let others = [
      try send("b", request("2"), to: cache), try send("c", request("1", owner: "x"), to: cache),
      try send("a", request("1"), to: cache, dataset: "other"),
    ]
    for outcome in others {
      guard case .applied = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }

  @Test func requestsWithoutEffectAreReplayed() throws {
    let cache = try open()
    func resize() throws -> ChangeOutcome {
      try cache.update(
        "feed", with: [.resize(key: "s-0", size: Size(width: 1, height: 5))], once: request("1")
      ) { _ in [7] }
    }
    guard case .applied(let applied) = try resize() else {
      Issue.record("the request was not applied")
      return
    }
    let commit = applied.commit
    #expect(commit.revision == 1)
    _ = try send("a", request("2"), to: cache)
    guard case .replayed(revision: 1, answer: [7]?) = try resize() else {
      Issue.record("the request was not replayed")
      return
    }
  }

  @Test func refusedRequestsAreNotStored() throws {
    let cache = try open()
    #expect(throws: LayoutCacheError.self) { try send("s-0", request("1"), to: cache) }
    #expect(throws: LayoutCacheError.self) { try send("a", request("1"), to: cache, expecting: 9) }
    #expect(try cache.dataset("feed").revision == 1)
    guard case .applied = try send("a", request("1", body: 9), to: cache) else {
      Issue.record("a rejected request was stored")
      return
    }
  }

  @Test func requestsAreReplayedForADay() throws {
    let cache = try open()
    let day: Int64 = 24 * 60 * 60 * 1000
    for number in 0..<40 { _ = try send("a\(number)", request("\(number)"), to: cache) }
    clock.advance(by: day - 1)
    expectReplay(try send("a0", request("0"), to: cache), revision: 2, answer: "done 2")
    clock.advance(by: 1)
    _ = try cache.update("feed", with: [.delete(keys: ["a0"])])
    guard case .applied = try send("a0", request("0", body: 2), to: cache) else {
      Issue.record("an expired request was replayed")
      return
    }
    // The rows stay for another day. Then a bounded number goes with each new one.
    let database = try RawDatabase(path: feed.path)
    #expect(try database.number("SELECT count(*) FROM requests") == 40)
    clock.advance(by: day)
    _ = try send("b", request("b"), to: cache)
    #expect(try database.number("SELECT count(*) FROM requests") == 41 - 16)
    for key in ["c", "d", "e"] { _ = try send(key, request(key), to: cache) }
    #expect(try database.number("SELECT count(*) FROM requests") == 5)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test(arguments: [64 << 10, (64 << 10) + 1])
  func aLongAnswerIsNotStored(count: Int) throws {
    let cache = try open()
    for _ in 0..<2 {
      let outcome = try cache.update(
        "feed", with: [.delete(keys: ["s-0"])], once: request("1")
      ) { _ in Array(repeating: 65, count: count) }
      guard case .replayed(revision: 2, let answer) = outcome else { continue }
      #expect(answer?.count == (count == 64 << 10 ? count : nil))
      return
    }
    Issue.record("the second request was not replayed")
  }

  /// Layouts are laid out from scratch after the transaction.
  @Test func aReplayHasNoAnswerForWorkAfterTheCommit() throws {
    let cache = try open()
    try cache.read(LayoutID("layout", of: "feed")) { _ in }
    func invalidate() throws -> ChangeOutcome {
      try cache.update(
        "feed", with: [.invalidate(layout: "layout", everything: true)], once: request("1")
      ) { Array("\($0.layouts.count)".utf8) }
    }
    guard case .applied(let applied) = try invalidate() else {
      Issue.record("the request was not applied")
      return
    }
    let (commit, text) = (applied.commit, applied.answer)
    #expect(commit.layouts.map(\.context.invalidateEverything) == [true])
    #expect(text == Array("1".utf8))
    expectReplay(try invalidate(), revision: 2, answer: nil)
  }

  @Test func aDamagedRequestIsReported() throws {
    let cache = try open()
    _ = try send("a", request("1"), to: cache)
    try RawDatabase(path: feed.path).execute("UPDATE requests SET revision = 1")
    #expect {
      _ = try send("a", request("1"), to: cache)
    } throws: { ($0 as? LayoutCacheError)?.category == .corrupt }
    #expect(try cache.verify().problems.map(\.detail).contains { $0.hasPrefix("requests: ") })
  }

  @Test func improperKeysAreRejected() throws {
    let long = String(repeating: "k", count: 256)
    for key in ["", "\u{7}", long] { #expect(throws: LimitError.self) { try self.request(key) } }
    #expect(throws: LimitError.self) { try self.request("1", owner: long) }
    _ = try request(String(long.dropLast()))
  }
}
