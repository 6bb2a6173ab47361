import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// A source of changes is followed exactly once.
@Suite struct MarkTests {
  private let feed: TestFeed
  private var cache: LayoutCache { feed.cache }

  init() throws {
    feed = try TestFeed([OracleSection("s", sizes: [(1, 5), (1, 5)])])
  }

  private func mark(_ position: String, of source: String = "orders") -> BatchOperation {
    .mark(source: source, position: position)
  }

  private func marks() throws -> [String] {
    try cache.dataset("feed").marks.map { "\($0.source) \($0.position) \($0.revision)" }
  }

  @Test func aRefusedBatchSetsNoMark() throws {
    #expect(throws: LayoutCacheError.self) {
      try cache.update("feed", with: [mark("1"), .delete(keys: ["none"])])
    }
    #expect(try marks() == [])
    #expect(try !cache.update("feed", with: [mark("1")]).isRepeated)
  }

  private func expectRefused(
    _ operations: [BatchOperation], number: Int, _ isExpected: (BatchError) -> Bool
  ) {
    #expect {
      try cache.update("feed", with: operations)
    } throws: { error in
      guard case .refused(number, let reason)? = (error as? LayoutCacheError)?.code
      else { return false }
      return isExpected(reason)
    }
  }

  @Test func aBatchHasOneMark() throws {
    expectRefused([mark("1"), .delete(keys: ["s-0"]), mark("1")], number: 3) {
      $0 == .duplicateMark
    }
    #expect(try cache.dataset("feed").revision == 1)
  }

  @Test func aMarkThatDoesNotFollowThePresentOneIsRejected() throws {
    func after(_ expected: MarkExpectation, _ position: String) -> BatchOperation {
      .mark(source: "orders", position: position, after: expected)
    }
    func expectMismatch(_ expected: MarkExpectation, present: String?) throws {
      let revision = try cache.dataset("feed").revision
      let stated: String? = if case .position(let position) = expected { position } else { nil }
      expectRefused([.delete(keys: ["s-0"]), after(expected, "new")], number: 2) {
        $0 == .markMismatch(source: "orders", expected: stated, present: present)
      }
      #expect(try cache.dataset("feed").revision == revision)
      #expect(try cache.dataset("feed").itemCount == 2)
    }
    try expectMismatch(.position("1"), present: nil)
    // Marks of other sources do not count.
    try cache.update("feed", with: [mark("1", of: "another")])
    try expectMismatch(.position("1"), present: nil)
    #expect(try cache.update("feed", with: [after(.none, "1")]).revision == 3)
    try expectMismatch(.none, present: "1")
    try expectMismatch(.position("0"), present: "1")
    // A repeated batch is recognized whatever it expects, by another cache too.
    for expected in [MarkExpectation.none, .any, .position("0"), .position("1")] {
      // Before the expected revision is compared, and before any operation is looked up.
      let again = try LayoutCache(path: feed.path).update(
        "feed", with: [.delete(keys: ["none"]), after(expected, "1")], expecting: 77)
      #expect(again.isRepeated && again.revision == 3)
    }
    #expect(try cache.update("feed", with: [after(.position("1"), "é")]).revision == 4)
    // Positions are compared byte by byte.
    try expectMismatch(.position("e\u{301}"), present: "é")
    #expect(try cache.update("feed", with: [after(.position("é"), "3")]).revision == 5)
    #expect(try cache.update("feed", with: [after(.any, "4")]).revision == 6)
    #expect(try marks() == ["another 1 2", "orders 4 6"])
  }

  @Test func markNamesAndTheirNumberAreLimited() throws {
    let long = String(repeating: "p", count: 256)
    for operation in [mark(""), mark(long), mark("1", of: ""), mark("1", of: "\u{7}")] {
      expectRefused([operation], number: 1) { if case .limit = $0 { true } else { false } }
    }
    try RawDatabase(path: feed.path).execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO marks SELECT (SELECT id FROM datasets), 'source ' || i, 'p', 1, 0 FROM n
      """)
    expectRefused([mark("1", of: "another")], number: 1) {
      if case .limit = $0 { true } else { false }
    }
  }

  @Test func aDamagedMarkIsReported() throws {
    try cache.update("feed", with: [mark("1")])
    try RawDatabase(path: feed.path).execute("UPDATE marks SET position = '2'")
    #expect {
      try cache.update("feed", with: [mark("2")])
    } throws: { ($0 as? LayoutCacheError)?.category == .corrupt }
    #expect(try cache.verify().problems.map(\.detail).contains { $0.hasPrefix("marks: ") })
  }
}
