import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

// A layout's configuration changes: what is read, and when it is laid out.

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

  @Test func goingBackToTheConfigurationOfTheLastResultLaysNothingOut() throws {
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
