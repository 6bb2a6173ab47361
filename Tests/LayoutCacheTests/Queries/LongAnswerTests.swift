import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Answers of any length, delivered page by page.
@Suite struct LongAnswerTests {
  private static let phone = LayoutID("layout", of: "feed")
  private static let everything = Rect(
    x: .zero, y: .zero, width: Length(units: 1 << 40), height: Length(units: 1 << 40))

  private func feed(itemCount: Int) throws -> TestFeed {
    try TestFeed(
      [
        OracleSection("a", sizes: Array(repeating: (3, 2), count: itemCount)),
        OracleSection("b", sizes: [(1, 1)]),
      ],
      configuration: #"{"container":{"width":300},"section":{"columns":3,"header":10}}"#)
  }

  @Test(arguments: [1, 1021, 1022, 1023, 5000])
  func pagesEqualTheAnswer(itemCount: Int) throws {
    let feed = try feed(itemCount: itemCount)
    for query in [
      ElementsQuery.rect(Self.everything), .rect(Self.everything, limit: 1500),
      .rect(Self.everything, limit: 1024), .items(from: .key("a-0")),
      .items(from: .key("b-0"), count: 3000, backward: true),
    ] {
      let whole = try feed.read { try $0.elements(query) }
      var elements: [LayoutAttributes] = []
      var next: Continuation?
      var pageCount = 0
      try feed.cache.forEachPage(of: query, in: Self.phone, withData: true) {
        snapshot, page, data in
        #expect(snapshot.revision == 1 && next == nil)
        #expect(page.elements.count <= 1024 && data?.data.count == page.elements.count)
        elements += page.elements
        next = page.next
        pageCount += 1
      }
      #expect(elements == whole.elements && next == whole.next, "\(query)")
      #expect(pageCount == max(1, (elements.count + 1023) / 1024), "\(query)")
    }
  }

  /// Concurrent changes are not visible, nor do they delete needed nodes. They are possible because
  /// no read transaction is open, which the store asserts.
  @Test func anAnswerIsOfOneRevision() throws {
    let feed = try feed(itemCount: 5000)
    let whole = try feed.read { try $0.elements(in: Self.everything).elements }
    let other = try LayoutCache(path: feed.path)
    var elements: [LayoutAttributes] = []
    try feed.cache.forEachPage(of: .rect(Self.everything), in: Self.phone) { snapshot, page, _ in
      #expect(snapshot.revision == 1)
      elements += page.elements
      if elements.count > 1024 { return }
      for cache in [other, feed.cache] {
        let keys = (0..<2000).map { "a-\($0 * 2 + (cache === other ? 0 : 1))" }
        try cache.update("feed", with: [.delete(keys: keys)], preparing: .upToDate)
        try cache.checkpoint()
      }
    }
    #expect(elements == whole)
    let rest = try feed.read { try $0.elements(in: Self.everything).elements }
    #expect(rest.count == whole.count - 4000)
  }

  /// Only a page of a long answer is in memory, and the nodes on a path.
  @Test func pagesAreNotRetainedInMemory() throws {
    let feed = try feed(itemCount: 20_000)
    try feed.cache.prepare(Self.phone)
    let cache = try LayoutCache(path: feed.path)
    var work = QueryWork.none
    var snapshots = 0
    try cache.forEachPage(of: .rect(Self.everything), in: Self.phone) { snapshot, page, _ in
      work = work + page.work
      // The snapshot's trees retain no node of the delivered pages.
      let own = try snapshot.elements(in: Rect(x: 0, y: 60_000, width: 9, height: 9)).work
      if snapshots == 0 { #expect(own.nodesLoaded > 0) }
      snapshots += 1
    }
    // Each page descends the trees once; everything else is read once.
    let leaves = 2 * 20_000 / 64
    #expect(work.nodesLoaded >= leaves && work.nodesLoaded < 2 * leaves, "\(work.nodesLoaded)")
    // The first page has come through the layout in memory.
    let inMemory = try cache.read(Self.phone) {
      try $0.elements(in: Rect(x: 0, y: 300_000, width: 9, height: 9)).work
    }
    #expect(inMemory.nodesLoaded > 0)
  }

  @Test func anErrorOfTheBodyEndsTheAnswer() throws {
    struct Enough: Error {}
    let feed = try feed(itemCount: 3000)
    var pageCount = 0
    #expect(throws: Enough.self) {
      try feed.cache.forEachPage(of: .rect(Self.everything), in: Self.phone) { _, _, _ in
        pageCount += 1
        if pageCount == 2 { throw Enough() }
      }
    }
    #expect(pageCount == 2)
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.forEachPage(of: .items(from: .key("missing")), in: Self.phone) { _, _, _ in }
    }
    try feed.cache.close()
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.forEachPage(of: .rect(Self.everything), in: Self.phone) { _, _, _ in }
    }
  }
}
