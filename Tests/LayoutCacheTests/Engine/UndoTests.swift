import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct UndoTests {
  private static let configuration = #"""
    {"container":{"width":300},"section":{"columns":3,"itemLength":"natural","maximumSkew":0}}
    """#
  private let feed: TestFeed

  /// Columns that an insertion at the front would change if they were chosen again.
  init() throws {
    feed = try TestFeed(
      [OracleSection("s", sizes: (0..<60).map { (1, Double(1 + $0 * 7919 % 50)) })],
      configuration: Self.configuration)
    try feed.read { _ in }
  }

  private func cells(by cache: LayoutCache? = nil) throws -> [OracleElement] {
    try (cache ?? feed.cache).read(LayoutID("layout", of: "feed")) {
      try OracleElement.all(of: $0)
    }
  }

  private func obstacle(_ body: () throws -> Void) -> BatchError? {
    do {
      try body()
    } catch {
      if case .cannotUndo(_, let obstacle, _)? = (error as? LayoutCacheError)?.code {
        return obstacle
      }
      Issue.record("\(error)")
    }
    return nil
  }

  @Test func anImportCannotBeUndone() throws {
    #expect(obstacle { try feed.cache.undo("feed") } == .imported)
    try feed.importItems([OracleSection("s", sizes: [(1, 9)])], mode: .replace)
    #expect(obstacle { try feed.cache.undo("feed") } == .imported)
    try feed.cache.createDataset("empty")
    #expect(obstacle { try feed.cache.undo("empty") } == .imported)
  }

  /// A deletion whose items the log lacks.
  @Test func aCommitMissingFromTheLogCannotBeUndone() throws {
    let count = 16_385
    try feed.cache.update(
      "feed",
      with: [
        .insert(
          try (0..<count).map { try Item(key: "n\($0)", width: 1, height: 1) },
          at: .end(section: "s"))
      ])
    try feed.cache.update("feed", with: [.delete(keys: (0..<count).map { "n\($0)" })])
    let after = try cells()
    #expect(obstacle { try feed.cache.undo("feed") } == .notLogged)
    #expect(try cells() == after)
    // The next commit can be undone.
    try feed.cache.update("feed", with: [.delete(keys: ["s-4"])])
    try feed.cache.undo("feed")
    #expect(try cells() == after)
  }

  /// The commit that placed the columns is a thousand commits ago.
  @Test func beyondTheStackItemsArePlacedLikeInsertedOnes() throws {
    let before = try items()
    try feed.cache.update("feed", with: [.delete(keys: ["s-3"])])
    for number in 0..<1_000 {
      try feed.cache.update(
        "feed",
        with: [.resize(key: "s-9", size: Size(width: 1, height: .points(Double(3 + number % 9))))])
    }
    let commit = try feed.cache.undo("feed", to: 1, preparing: .named(["layout"]))
    #expect(commit.undone?.placesColumns == true)
    #expect(try items() == before)
    try feed.cache.undo("feed")
    let again = try feed.cache.undo("feed", preparing: .named(["layout"]))
    #expect(again.undone?.placesColumns == false)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  /// A process that runs for long keeps the records in reach and those since the last checkpoint.
  @Test func recordsOutOfReachAreReleased() throws {
    for number in 0..<1_050 {
      let move = BatchOperation.move(key: "s-\(number % 60)", to: .end(section: "s"))
      try feed.cache.update("feed", with: [move], preparing: .named(["layout"]))
      if number % 350 == 0 { try feed.cache.checkpoint() }
    }
    try feed.cache.checkpoint()
    let layout = try #require(
      feed.cache.openDatasets.dataset(inMemory: "feed")?.state(at: nil)?.layout(named: "layout"))
    #expect(layout.undo.count == 1_000)
  }

  /// Records that can be read and do not fit: the layout is laid out again, or has other columns.
  @Test(arguments: 0..<60)
  func alteredRecordsNeverTrap(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for commit in Self.commits {
      try feed.cache.update("feed", with: commit, preparing: .named(["layout"]))
    }
    try feed.cache.checkpoint()
    let id = try #require(feed.cache.openDatasets.dataset(inMemory: "feed")?.state(at: nil)).row.id
    try feed.cache.store.write { writer in
      var row = try #require(try writer.reader.layout(named: "layout", of: id))
      var bytes = row.result?.undo ?? []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = try #require(bytes.indices.randomElement(using: &generator))
        bytes[place] = [0, 1, 2, 3, 9, 60, 127].randomElement(using: &generator) ?? 0
      }
      row.result?.undo = bytes
      try writer.put(row)
    }
    let other = try LayoutCache(path: feed.path, sectionLayouts: TestKinds.all)
    let target = Int.random(in: 1...7, using: &generator)
    try other.undo("feed", to: target, preparing: .named(["layout"]))
    #expect(try cells(by: other).count(where: { $0.key != nil }) == other.dataset("feed").itemCount)
    #expect(try other.verify().problems.isEmpty)
  }

  /// Each kind of operation, some of them several times on the same items.
  private static let commits: [[BatchOperation]] = [
    [.delete(keys: ["s-3", "s-30"])],
    [.insertSection(key: "t", index: 0), .move(key: "s-5", to: .end(section: "t"))],
    [.resize(key: "s-5", size: Size(width: 7, height: 9)), .delete(keys: ["s-6"])],
    [.insert([try! Item(key: "s-6", width: 2, height: 3)], at: .end(section: "t"))],
    [.data(key: "s-6", try! ItemData(json: #"{"a":1}"#)), .style(section: "t", style: "hero")],
    [.moveSection(key: "t", index: 1), .move(key: "s-7", to: .end(section: "t"))],
    [.deleteSection(key: "t")],
  ]

  private func items() throws -> [String] {
    var items: [String] = []
    try feed.cache.forEachSection(of: "feed") { items.append("\($0)") }
    try feed.cache.forEachItem(of: "feed") { items.append("\($0) \($1)") }
    return items
  }

  @Test func theSummaryCountsTheOperations() throws {
    for commit in Self.commits { try feed.cache.update("feed", with: commit) }
    #expect(
      try feed.cache.undo("feed", to: 2).undone?.summary == """
        undid revisions 3 to 8: insertion of 1 section, move of 2 items, resize of 1 item, \
        deletion of 1 item, insertion of 1 item, change of data of 1 item, restyle of 1 section, \
        move of 1 section, deletion of 1 section
        """)
  }

  @Test func undoToARevisionThatCannotBeReachedChangesNothing() throws {
    for commit in Self.commits { try feed.cache.update("feed", with: commit) }
    #expect(try feed.cache.undo("feed", to: 8).revision == 8)
    #expect(obstacle { try feed.cache.undo("feed", to: 0) } == .imported)
    for (target, expected) in [(9, nil), (1, 7)] as [(Int, Int?)] {
      #expect(throws: LayoutCacheError.self) {
        try feed.cache.undo("feed", to: target, expecting: expected)
      }
    }
    #expect(try feed.cache.dataset("feed").revision == 8)
  }
}
