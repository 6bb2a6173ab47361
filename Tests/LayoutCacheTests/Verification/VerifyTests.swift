import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct VerifyTests {
  private let feed: TestFeed

  init() throws {
    var generator = SeededGenerator(seed: 4)
    let sections = (0..<3).map { section in
      OracleSection(
        "s\(section)",
        sizes: (0..<300).map { _ in
          (100, Double(Int.random(in: 50...400, using: &generator)))
        })
    }
    feed = try TestFeed(
      sections,
      configuration:
        #"{"container":{"width":400},"section":{"columns":3,"lineSpacing":4,"assignment":"exact"}}"#
    )
    try feed.cache.prepare(LayoutID("layout", of: "feed"))
  }

  private func sql(_ sql: String, _ values: [RawDatabase.Value] = []) throws {
    try RawDatabase(path: feed.path).execute(sql, values)
  }

  private func problems() throws -> [VerificationReport.Problem] {
    try feed.cache.verify().problems
  }

  private func nodes() throws -> [(id: Int64, payload: [UInt8])] {
    try RawDatabase(path: feed.path).rows("SELECT id, payload FROM nodes ORDER BY id")
      .map { (try #require($0[0].number), try #require($0[1].bytes)) }
  }

  @Test func aSoundDatabaseHasNoProblemsAndEveryNodeIsRead() throws {
    let report = try feed.cache.verify()
    #expect(report.problems.isEmpty)
    #expect(report.datasetCount == 1)
    #expect(report.layoutCount == 1)
    #expect(report.itemCount == 900)
    #expect(try report.nodeCount == nodes().count)
  }

  @Test func aFlippedByteInAnyNodeIsFound() throws {
    var generator = SeededGenerator(seed: 9)
    for (id, payload) in try nodes() {
      var damaged = payload
      let byte = Int.random(in: 0..<payload.count, using: &generator)
      damaged[byte] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      try sql("UPDATE nodes SET payload = ? WHERE id = ?", [.bytes(damaged), .number(id)])
      #expect(try !problems().isEmpty, "node \(id), byte \(byte)")
      try sql("UPDATE nodes SET payload = ? WHERE id = ?", [.bytes(payload), .number(id)])
    }
    #expect(try problems().isEmpty)
  }

  @Test func aMissingNodeIsFound() throws {
    for (id, payload) in try nodes() {
      try sql("DELETE FROM nodes WHERE id = ?", [.number(id)])
      #expect(try problems().contains { $0.detail.contains("missing") }, "node \(id)")
      try sql("INSERT INTO nodes VALUES (?, ?)", [.number(id), .bytes(payload)])
    }
  }

  @Test func anOrphanedNodeIsFound() throws {
    let store = try Store(path: feed.path, options: StoreOptions())
    try store.write { transaction in
      var payload = ByteWriter()
      payload.writeUInt8(1)
      _ = try transaction.nodeSink(in: try transaction.makeSpace(), next: 1).write(payload)
    }
    #expect(
      try problems() == [
        .init(place: "database", detail: "1 nodes belong to no dataset or layout")
      ])
  }

  @Test func rowsThatDisagreeWithTheirTreesAreFound() throws {
    let store = try Store(path: feed.path, options: StoreOptions())
    try store.write { transaction in
      var row = try transaction.reader.requireDataset("feed")
      row.itemCount = 901
      try transaction.put(row)
    }
    #expect(
      try problems().contains {
        $0.place == "dataset feed" && $0.detail == "it has 900 items instead of 901"
      })
  }

  @Test(arguments: [
    "datasets SET name = 'feet'", "datasets SET space = space + 1", "datasets SET space = -1",
    "datasets SET space = 33554431", "datasets SET next_node = 0", "datasets SET revision = 99",
    "datasets SET revision = -1", "datasets SET section_count = 9", "datasets SET roots = x'00'",
    "datasets SET item_count = 9223372036854775807", "datasets SET checksum = 0",
    "layouts SET name = ''", "layouts SET revision = 2",
    "layouts SET configuration = replace(configuration, '400', '401')",
    "layouts SET configuration = 'no JSON'", "layouts SET space = 9223372036854775807",
    "layouts SET root = NULL", "layouts SET root = zeroblob(9)", "layouts SET space = NULL",
  ])
  func everyChangeOfARowIsFoundWithoutTraps(change: String) throws {
    try sql("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; UPDATE \(change)")
    let cache = try LayoutCache(path: feed.path)
    #expect(try !cache.verify().problems.isEmpty)
    // An error that blames the file, not the caller, or an unchanged answer.
    let calls: [() throws -> Void] = [
      { _ = try cache.datasets() }, { _ = try cache.inspect(dataset: "feed") },
      { _ = try cache.layouts(of: "feed") }, { try cache.forEachItem(of: "feed") { _, _ in } },
      {
        try cache.read(LayoutID("layout", of: "feed")) { _ = try $0.attributes(forKey: "s1-7") }
      },
    ]
    for call in calls {
      do {
        try call()
      } catch let error as LayoutCacheError {
        #expect([.corrupt, .notFound].contains(error.category), "\(error)")
      }
    }
  }

  @Test(arguments: [
    "DROP TABLE nodes", "DROP TABLE layouts", "DROP TABLE migrations",
    "ALTER TABLE datasets RENAME COLUMN roots TO boots", "DELETE FROM database",
  ])
  func aDamagedSchemaIsDamage(change: String) throws {
    try feed.cache.close()
    try sql(change)
    #expect {
      let cache = try LayoutCache(path: feed.path)
      _ = try cache.datasets()
      _ = try cache.verify()
    } throws: { ($0 as? LayoutCacheError)?.category == .corrupt }
  }

  /// Replaces the layout's result by one with a changed item, with valid checksums and summaries.
  private func replaceResult(
    overdueKey: String? = nil, _ change: (Int) -> (column: Int, extra: Int64)
  ) throws {
    let store = try Store(path: feed.path, options: StoreOptions())
    try store.write { transaction in
      let dataset = try transaction.reader.requireDataset("feed")
      var row = try transaction.reader.requireLayout("layout", of: dataset)
      let results = try #require(try row.results(.standard)).tree
      let session = TreeSession(transaction.reader)
      let space = try transaction.makeSpace()
      let sink = transaction.nodeSink(in: space, next: 1)
      var changed = TreeBuilder<SectionResultLeaf>(
        shape: TreeShapes.standard.sectionResults, sink: sink)
      try results.forEachLeaf(in: session) { leaf, _ in
        for (number, entry) in leaf.entries.enumerated() {
          var run = WaterfallLeaf()
          let kept = try #require(entry.content.kept as? StoredWaterfall)
          try kept.tree.forEachLeaf(in: session) { leaf, start in
            for index in 0..<leaf.count {
              let (column, extra) = number == 1 ? change(start + index) : (0, 0)
              run.append(
                column: (Int(leaf.columns[index]) + column) % 3, columnSpan: 1,
                advance: Length(units: leaf.advances[index] + extra))
            }
          }
          var section = TreeBuilder<WaterfallLeaf>(shape: TreeShapes.standard.waterfall, sink: sink)
          try section.append(run)
          try changed.append(
            SectionResultLeaf(entries: [
              SectionResult(
                length: entry.length,
                content: SectionContent(StoredWaterfall(tree: try section.finish())),
                overdueKey: number == 1 ? overdueKey : nil)
            ]))
        }
      }
      var root = ByteWriter()
      try changed.finish().encodeRoot(into: &root)
      let old = try #require(row.result)
      try transaction.giveBack(.nodes(old.space))
      row.result = LayoutRow.Result(
        space: space, nextNode: sink.next, revision: old.revision, root: root.bytes,
        configuration: row.configuration, incarnation: old.incarnation, rules: old.rules)
      try transaction.put(row)
    }
  }

  @Test func aSectionWronglyMarkedAsOverdueIsFound() throws {
    try replaceResult(overdueKey: "s1") { _ in (0, 0) }
    #expect(
      try problems() == [
        .init(
          place: "layout layout of dataset feed, section s1",
          detail: "its rebalance flag is wrong")
      ])
    // An exact section never is overdue: continuing it finds the damage.
    let cache = try LayoutCache(path: feed.path)
    try cache.update("feed", with: [.insertSection(key: "new")], preparing: .upToDate)
    try cache.prepare(LayoutID("layout", of: "feed"))
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func anItemOfAWrongLengthIsFound() throws {
    try replaceResult { $0 == 200 ? (0, 64) : (0, 0) }
    let found = try problems()
    #expect(found.count == 1)
    #expect(found.first?.place == "layout layout of dataset feed, section s1")
    #expect(found.first?.detail.hasPrefix("item 200 has length") == true)
  }

  @Test func anItemInAWrongColumnIsFound() throws {
    try replaceResult { $0 == 17 ? (1, 0) : (0, 0) }
    let found = try problems()
    #expect(found.count == 1)
    #expect(found.first?.detail.hasPrefix("item 17 starts in column") == true)
  }

  private static let everything = Rect(
    x: .zero, y: .zero, width: Length(units: 1 << 40), height: Length(units: 1 << 40))

  private func elements(_ cache: LayoutCache) throws -> [LayoutAttributes] {
    try cache.read(LayoutID("layout", of: "feed")) { try $0.elements(in: Self.everything).elements }
  }

  private func damageLayout() throws {
    let space = try #require(try RawDatabase(path: feed.path).number("SELECT space FROM layouts"))
    try sql("UPDATE nodes SET payload = zeroblob(20) WHERE id >> 38 = ?", [.number(space)])
  }

  @Test func aDamagedLayoutIsReportedAndLaidOutAgain() throws {
    let before = try elements(feed.cache)
    try damageLayout()
    let log = RecordingLog()
    let cache = try LayoutCache(path: feed.path, logger: log.logger)
    #expect(try elements(cache) == before)
    #expect(log.messages == ["stored layout damaged; laying it out from scratch"])
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func aDamagedResultIsNotUpdatedToAnotherConfiguration() throws {
    let columns = try ConfigurationText.decode(
      #"{"container":{"width":400},"section":{"columns":2}}"#)
    try feed.cache.setLayout(LayoutID("other", of: "feed"), to: columns)
    let expected = try feed.cache.read(LayoutID("other", of: "feed")) {
      try $0.elements(in: Self.everything).elements
    }
    try feed.cache.removeLayout(LayoutID("other", of: "feed"))
    try feed.cache.close()
    try damageLayout()
    let cache = try LayoutCache(path: feed.path)
    try cache.setLayout(LayoutID("layout", of: "feed"), to: columns)
    #expect(try elements(cache) == expected && expected.count == 900)
  }

  @Test func aRetainedSnapshotThrowsTheLibrarysError() throws {
    try sql("UPDATE nodes SET payload = zeroblob(20)", [])
    let cache = try LayoutCache(path: feed.path)
    var kept: LayoutSnapshot?
    try cache.read(LayoutID("layout", of: "feed")) { kept = $0 }
    let snapshot = try #require(kept)
    #expect {
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
    } throws: { ($0 as? LayoutCacheError)?.category == .corrupt }
  }

  @Test func wrongSectionItemCountsAreDamageOfTheDataset() throws {
    // One item more than exist: no layout could fit that.
    let store = try Store(path: feed.path, options: StoreOptions())
    try store.write { transaction in
      var row = try transaction.reader.requireDataset("feed")
      var trees = try DatasetTrees(row, transaction.reader, .standard)
      let session = TreeSession(transaction.reader)
      try trees.sections.updateLeaf(containing: 2, in: session) { leaf, _ in
        leaf.entries[2].itemCount += 1
      }
      let sink = transaction.nodeSink(in: row.space, next: row.nextNode)
      try trees.store(into: sink)
      row.nextNode = sink.next
      row.roots = trees.encodedRoots
      row.revision += 1
      try transaction.put(row)
      var head = try transaction.reader.logHead(of: row.id)
      head.revision += 1
      try transaction.put(head)
    }
    let log = RecordingLog()
    let cache = try LayoutCache(path: feed.path, logger: log.logger)
    #expect {
      try cache.read(LayoutID("layout", of: "feed")) {
        try $0.attributes(at: IndexPath(section: 2, item: 0))
      }
    } throws: { error in
      (error as? LayoutCacheError)?.category == .corrupt && "\(error)".contains("'feed'")
    }
    #expect(log.messages.isEmpty)
    #expect(try !cache.verify().problems.isEmpty)
  }

  @Test func aDamagedItemNodeIsAnErrorThatNamesIt() throws {
    let space = try #require(try RawDatabase(path: feed.path).number("SELECT space FROM datasets"))
    try sql("UPDATE nodes SET payload = zeroblob(20) WHERE id >> 38 = ?", [.number(space)])
    let cache = try LayoutCache(path: feed.path)
    #expect {
      try cache.read(LayoutID("layout", of: "feed")) { try $0.attributes(forKey: "s1-7") }
    } throws: { error in
      (error as? LayoutCacheError)?.category == .corrupt && "\(error)".contains("node ")
    }
  }
}
