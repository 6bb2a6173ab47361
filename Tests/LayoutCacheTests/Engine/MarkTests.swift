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

  private func insert(_ key: String) throws -> BatchOperation {
    .insert([try Item(key: key, width: 1, height: 1)], at: .end(section: "s"))
  }

  private func marks() throws -> [String] {
    try cache.dataset("feed").marks.map { "\($0.source) \($0.position) \($0.revision)" }
  }

  @Test func aRepeatedBatchIsNotAppliedAgain() throws {
    let first = try cache.update("feed", with: [insert("a"), mark("1")])
    #expect(first.revision == 2 && !first.isRepeated)
    try cache.update("feed", with: [.delete(keys: ["s-0"])])
    // Before the expected revision is compared, and before any operation is looked up.
    let again = try LayoutCache(path: feed.path).update(
      "feed", with: [insert("a"), .delete(keys: ["none"]), mark("1")], expecting: 77)
    #expect(again.revision == 2 && again.isRepeated)
    #expect(again.layouts.isEmpty && again.updates.isEmpty)
    #expect(try cache.dataset("feed").revision == 3)
    #expect(try marks() == ["orders 1 2"])
  }

  @Test func anyOtherPositionIsNew() throws {
    for (position, revision) in [("2", 2), ("1", 3), ("2", 4), ("é", 5), ("e\u{301}", 6)] {
      let commit = try cache.update("feed", with: [mark(position)])
      #expect(commit.revision == revision && !commit.isRepeated, "\(position)")
      #expect(commit.updates.isEmpty)
    }
    try cache.update("feed", with: [mark("x", of: "another")])
    #expect(try marks() == ["another x 7", "orders e\u{301} 6"])
    #expect(try cache.update("feed", with: [mark("e\u{301}")]).isRepeated)
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
    // A repeated batch is recognized whatever it expects, in another process too.
    for expected in [MarkExpectation.none, .any, .position("0"), .position("1")] {
      let again = try LayoutCache(path: feed.path).update("feed", with: [after(expected, "1")])
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

  @Test func marksAreKeptWithTheItemsTheyDescribe() throws {
    try cache.update("feed", with: [mark("1")])
    try feed.importItems([OracleSection("t", sizes: [(1, 5), (2, 2), (3, 3)])], mode: .append)
    #expect(try marks() == ["orders 1 2"])
    try cache.renameDataset("feed", to: "other")
    #expect(try cache.dataset("other").marks.count == 1)
    try cache.renameDataset("other", to: "feed")
    try feed.importItems([OracleSection("s", sizes: [(1, 5)])], mode: .replace)
    #expect(try marks() == [])
    try cache.update("feed", with: [mark("1")])
    try cache.removeDataset("feed")
    #expect(try RawDatabase(path: feed.path).number("SELECT count(*) FROM marks") == 0)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func aDamagedMarkIsReported() throws {
    try cache.update("feed", with: [mark("1")])
    try RawDatabase(path: feed.path).execute("UPDATE marks SET position = '2'")
    #expect {
      try cache.update("feed", with: [mark("2")])
    } throws: { ($0 as? LayoutCacheError)?.category == .corrupt }
    #expect(try cache.verify().problems.map(\.detail).contains { $0.hasPrefix("marks: ") })
  }

  // Strategy: a stream of random batches, each with its position, is followed by a reader that
  // crashes at random moments, before or after a batch, and then continues at the dataset's
  // mark, or a little before.
  //
  // Invariant: the dataset is the source's, and has one revision per batch.
  @Test(.property, arguments: PropertyRun.seeds)
  func aStreamIsFollowedExactlyOnce(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var source = RandomFeed(itemCountMax: 40)
    let sections = source.sections(using: &generator)
    let text = #"{"container":{"width":100},"section":{"kind":"waterfall","columns":2}}"#
    let test = try TestFeed(sections, configuration: text)
    var stream: [[OracleOperation]] = []
    var ends = [try OracleFeed(configuration: text, sections: sections)]
    var batches = RandomBatch(source: source)
    for _ in PropertyRun.each(seed, steps: 20) {
      var end = ends[ends.count - 1]
      stream.append(batches.next(for: end, using: &generator))
      try end.apply(stream[stream.count - 1])
      ends.append(end)
    }
    var cache = test.cache
    var next = 0
    while next < stream.count {
      let commit = try cache.update(
        "feed",
        with: stream[next].map { try BatchOperation($0) } + [mark("\(next)", of: "stream")])
      #expect(commit.revision == next + 2, "batch \(next)")
      next += 1
      guard generator.oneIn(3) else { continue }
      if generator.oneIn(2) { try cache.close() }
      cache = try LayoutCache(path: test.path, sectionLayouts: TestKinds.all)
      let marks = try cache.dataset("feed").marks
      let done = try #require(marks.first.flatMap { Int($0.position) })
      #expect(done == next - 1)
      // The marked batch may be repeated; earlier ones may not.
      next = generator.oneIn(2) ? done : done + 1
    }
    var items: [String] = []
    try cache.forEachItem(of: "feed") { items.append("\($0) \($1.key)") }
    let expected = ends[stream.count].sections.flatMap { section in
      section.items.map { "\(section.key) \($0.key)" }
    }
    #expect(items == expected)
  }
}
