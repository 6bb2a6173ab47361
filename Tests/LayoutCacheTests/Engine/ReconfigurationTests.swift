import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Changes of a layout's configuration: which result is read, and when it is laid out.

@Suite struct ReconfigurationTests {
  private let feed: TestFeed
  private let sections: [OracleSection]

  init() throws {
    var generator = SeededGenerator(seed: 11)
    var source = RandomFeed(itemCountMax: 300)
    sections = source.sections(using: &generator)
    feed = try TestFeed(sections, configuration: Self.text(columns: 5))
  }

  private static func text(columns: Int) -> String {
    #"{"container":{"width":900},"section":{"kind":"waterfall","columns":\#(columns)}}"#
  }

  private func change(columns: Int) throws { try feed.set(Self.text(columns: columns)) }

  private func expected(columns: Int) throws -> [OracleElement] {
    OracleElement.all(
      of: try Oracle(configuration: Self.text(columns: columns), sections: sections))
  }

  @Test func aQueryAfterAChangeAnswersFromTheNewConfiguration() throws {
    for columns in [5, 3, 5, 2] {
      try change(columns: columns)
      #expect(try OracleElement.all(of: feed.cache) == expected(columns: columns))
    }
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func theLastResultStaysReadableUntilTheLayoutIsPrepared() throws {
    _ = try OracleElement.all(of: feed.cache)
    try change(columns: 3)
    let other = try LayoutCache(path: feed.path)
    for cache in [feed.cache, other] {
      let (found, isOutdated) = try cache.read(
        LayoutID("layout", of: "feed"), freshness: .last
      ) { (try OracleElement.all(of: $0), $0.isOutdated) }
      #expect(try found == expected(columns: 5))
      #expect(isOutdated)
    }
    #expect(try feed.cache.layout(LayoutID("layout", of: "feed")).preparedRevision == nil)
    #expect(try feed.cache.verify().problems.isEmpty)
    let context = try feed.cache.prepare(LayoutID("layout", of: "feed")).context
    #expect(context?.invalidateEverything ?? false)
    try other.read(LayoutID("layout", of: "feed"), freshness: .last) { snapshot in
      #expect(!snapshot.isOutdated)
      let found = try OracleElement.all(of: snapshot)
      #expect(try found == expected(columns: 3))
    }
  }

  @Test func theLastResultKeepsUpWithEdits() throws {
    _ = try OracleElement.all(of: feed.cache)
    try change(columns: 3)
    let first = try #require(sections.lazy.flatMap(\.items).first)
    _ = try feed.cache.update("feed", with: [.delete(keys: [first.key])])
    try feed.cache.read(LayoutID("layout", of: "feed"), freshness: .last) { snapshot in
      #expect(snapshot.isOutdated)
      let (item, columnEnds) = (
        try snapshot.attributes(forKey: first.key), try snapshot.columnEnds(inSection: 0)
      )
      #expect(item == nil)
      #expect(columnEnds.count == 5)
    }
    try feed.cache.read(LayoutID("layout", of: "feed")) { snapshot in
      let columnEnds = try snapshot.columnEnds(inSection: 0)
      #expect(columnEnds.count == 3)
    }
  }

  @Test func restoringTheConfigurationOfTheLastResultNeedsNoLayout() throws {
    let nodes = try feed.cache.inspect(dataset: "feed").layouts[0].nodeCount
    _ = try OracleElement.all(of: feed.cache)
    try change(columns: 3)
    try change(columns: 5)
    #expect(try feed.cache.prepare(LayoutID("layout", of: "feed")).context == nil)
    #expect(try feed.cache.inspect(dataset: "feed").layouts[0].nodeCount >= nodes)
  }

  @Test func aConfigurationChangedInUseIsNotUndoneByACheckpoint() throws {
    let first = try #require(sections.lazy.flatMap(\.items).first)
    let size = Size(width: Length(units: 300), height: Length(units: 400))
    _ = try OracleElement.all(of: feed.cache)
    _ = try feed.cache.update("feed", with: [.resize(key: first.key, size: size)])
    try change(columns: 3)
    try feed.cache.checkpoint()
    let other = try LayoutCache(path: feed.path)
    #expect(try other.layout(LayoutID("layout", of: "feed")).configuration.section.columns == 3)
    #expect(try other.verify().problems.isEmpty)
  }

  @Test func readersAnswerFromTheLastResultWhileTheLayoutIsLaidOut() async throws {
    _ = try OracleElement.all(of: feed.cache)
    let answers = [try expected(columns: 5), try expected(columns: 3)]
    let cache = feed.cache
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for columns in [3, 5, 3, 5, 3, 5, 3] {
          try cache.setLayout(
            LayoutID("layout", of: "feed"),
            to: ConfigurationText.decode(Self.text(columns: columns)))
          try cache.prepare(LayoutID("layout", of: "feed"))
        }
      }
      group.addTask {
        for _ in 0..<200 {
          let found = try OracleElement.all(of: cache)
          #expect(answers.contains(found))
        }
      }
      try await group.waitForAll()
    }
  }
}

/// The sections that a changed configuration lays out again: those whose own options differ.
@Suite struct ChangedOptionsTests {
  private let layout = LayoutID("layout", of: "feed")

  private func feed(count: Int, extra: Int = 3) throws -> TestFeed {
    try TestFeed([.mixed("a", count: count), .mixed("b", count: extra)])
  }

  private func configuration(
    width: Int = 400, height: Int = 300, _ section: String = "", a: String = "{}", b: String = "{}"
  ) -> String {
    """
    {"container":{"width":\(width),"height":\(height)},
     "section":{"kind":"waterfall","columns":3\(section)},"sections":{"a":\(a),"b":\(b)}}
    """
  }

  /// Sets a configuration.
  ///
  /// - Returns: The number of placed items.
  private func recomputed(_ feed: TestFeed, _ text: String) throws -> Int? {
    try feed.set(text)
    let context = try feed.cache.prepare(layout).context
    #expect(try feed.cache.verify().problems.isEmpty)
    return context?.work.recomputedItems
  }

  @Test(arguments: [200, 6000])
  func onlySectionsWithChangedOptionsAreLaidOutAgain(count: Int) throws {
    let feed = try feed(count: count)
    #expect(try recomputed(feed, configuration()) == count + 3)
    // An override for one section.
    #expect(try recomputed(feed, configuration(b: #"{"columns":2}"#)) == 3)
    // Headers and insets only shift the items.
    #expect(
      try recomputed(
        feed,
        configuration(
          #","header":20,"pinsHeader":true,"background":{"kind":"card"}"#, b: #"{"columns":2}"#))
        == 0)
    #expect(
      try recomputed(
        feed,
        configuration(#","inset":{"top":9,"bottom":5}"#, a: #"{"footer":3}"#, b: #"{"columns":2}"#))
        == 0)
    // Changes when items move, not their positions.
    #expect(try recomputed(feed, configuration(height: 900, b: #"{"columns":2}"#)) == 0)
    #expect(
      try recomputed(feed, configuration(#","maximumSkew":50"#, b: #"{"columns":2}"#)) == 0)
    #expect(
      try recomputed(feed, configuration(#","inset":{"left":9}"#, b: #"{"columns":2}"#))
        == count + 3)
    #expect(try recomputed(feed, configuration(width: 410, b: #"{"columns":2}"#)) == count + 3)
  }

  @Test(arguments: [200, 6000])
  func otherSectionsKeepTheirColumns(count: Int) throws {
    let feed = try feed(count: count)
    _ = try recomputed(feed, configuration())
    // From scratch the items would choose other columns.
    try feed.cache.update(
      "feed", with: (0..<20).map { .delete(keys: ["a-\($0 * 3)"]) })
    func columns() throws -> [Int?] {
      try feed.read { snapshot in
        try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
          .filter { $0.indexPath.section == 0 && $0.column != nil }.map(\.column)
      }
    }
    let before = try columns()
    let incarnation = try feed.read { $0.incarnation }
    #expect(try recomputed(feed, configuration(a: #"{"header":5}"#, b: #"{"columns":1}"#)) == 3)
    #expect(try columns() == before)
    #expect(try feed.read { $0.incarnation } != incarnation)
    try feed.cache.update(
      "feed", with: [.invalidate(layout: "layout", everything: true)], preparing: .upToDate)
    #expect(try columns() != before)
  }

  @Test func edgesOfASectionsLengthAreUpdated() throws {
    let feed = try feed(count: 200)
    for text in [
      configuration(), configuration(a: #"{"header":5}"#, b: #"{"kind":"flow"}"#),
      configuration(#","footer":3"#, a: #"{"kind":"grid","rowLength":10}"#),
      configuration(b: #"{"kind":"justified","targetRowLength":40}"#),
    ] {
      try feed.set(text)
      let sections = [OracleSection.mixed("a", count: 200), .mixed("b", count: 3)]
      #expect(
        try OracleElement.all(of: feed.cache)
          == OracleElement.all(of: Oracle(configuration: text, sections: sections)))
    }
  }
}
