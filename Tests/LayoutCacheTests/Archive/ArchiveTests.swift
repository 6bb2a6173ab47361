import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

/// Exporting a dataset as bytes, and loading it into another file.
@Suite struct ArchiveTests {
  private let feed: TestFeed
  private let clock = TestClock(milliseconds: 1_000_000_000_000)
  private static let day: Int64 = 24 * 60 * 60 * 1000
  private static let uneven =
    #"{"container":{"width":100},"section":{"columns":2,"itemLength":"natural","maximumSkew":0}}"#

  /// A dataset with every kind of content, and columns that no placement from scratch gives.
  init() throws {
    feed = try TestFeed(
      [
        OracleSection("s", sizes: (0..<9).map { _ in (50, 10) }), OracleSection("t", sizes: []),
        OracleSection("u", sizes: [(50, 7), (50, 8)], span: 2),
      ], configuration: Self.uneven)
    let cache = feed.cache
    try cache.setLayout(
      LayoutID("grid", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":90},"section":{"kind":"grid","columns":3,"rowLength":5}}"#))
    try cache.prepare(Self.layout)
    try cache.update(
      "feed",
      with: [
        .prefer(layout: "layout", key: "s-0", length: .points(90)),
        .data(key: "s-3", try ItemData(json: #"{"a":1}"#)), .mark(source: "src", position: "7"),
      ])
    try cache.prepare(Self.layout)
    try cache.update("feed", with: [.move(key: "s-8", to: .index(0, section: "s"))])
  }

  private static let layout = LayoutID("layout", of: "feed")

  private func empty(kinds: [any SectionLayout.Type] = TestKinds.all) throws -> (
    TemporaryDirectory, LayoutCache
  ) {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(
      path: directory.path(of: "other.sqlite"), sectionLayouts: kinds, clock: clock.clock)
    return (directory, cache)
  }

  /// Expects that a rejected archive left the file's content unchanged, and no garbage.
  private func expectUntouched(
    _ cache: LayoutCache, datasets: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try cache.datasets().map(\.name) == datasets, sourceLocation: sourceLocation)
    #expect(try cache.store.read { try $0.remains() } == [], sourceLocation: sourceLocation)
    #expect(try cache.verify().problems.isEmpty, sourceLocation: sourceLocation)
  }

  @Test func chunksHaveEqualLengths() throws {
    let cache = feed.cache
    let data = try ItemData(json: #"{"a":"\#(String(repeating: "x", count: 4000))"}"#)
    _ = try cache.importItems(into: "feed", mode: .append) { importer in
      for number in 0..<200 {
        try importer.add(Item(key: "\(number)", width: 1, height: 1, data: data), section: "s")
      }
    }
    let chunks = Box<[Int]>([])
    _ = try cache.exportArchive(of: "feed") { chunks.value.append($0.count) }
    let lengths = chunks.value
    #expect(lengths.count == 4)
    #expect(lengths.dropLast().allSatisfy { $0 == 256 << 10 } && lengths.last! <= 256 << 10)
  }

  private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  @Test func truncatedOrFlippedBytesAreRejected() throws {
    let archive = try feed.cache.archive()
    let (directory, cache) = try empty()
    for length in stride(from: 0, to: archive.count, by: 5) {
      #expect(throws: ReplicationError.self, "\(length) bytes") {
        try cache.load(Array(archive[..<length]))
      }
    }
    #expect(throws: ReplicationError.self) { try cache.load(archive + [0]) }
    for place in stride(from: 0, to: archive.count, by: 3) {
      var damaged = archive
      damaged[place] ^= 1 << UInt8(place % 8)
      #expect(throws: (any Error).self, "byte \(place)") { try cache.load(damaged) }
    }
    try expectUntouched(cache)
    // The failed loads do not affect a valid one.
    try cache.load(archive)
    withExtendedLifetime(directory) {}
  }

  /// A valid checksum does not make an archive valid: an accepted one must be a regular dataset.
  @Test func hostileRecordsThrowOrGiveAValidDataset() throws {
    let records = try ArchiveRecords(feed.cache.archive())
    let (directory, cache) = try empty()
    var generator = SeededGenerator(seed: 7)
    var acceptedCount = 0
    for number in 0..<PropertyRun.steps(120) {
      var hostile = records
      let place = Int.random(in: hostile.records.indices, using: &generator)
      var text = "record \(place) of kind \(hostile.records[place].kind)"
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: hostile.records.remove(at: place)
      case 1: hostile.records.insert(hostile.records[place], at: place)
      case 2:
        hostile.records.swapAt(place, Int.random(in: hostile.records.indices, using: &generator))
      default:
        var bytes = HostileBytes(bytes: hostile.records[place].payload)
        text += ": " + bytes.change(using: &generator)
        hostile.records[place].payload = bytes.bytes
      }
      do {
        try cache.load(hostile.archive, as: "\(number)")
      } catch {
        #expect(error is ReplicationError || error is LayoutCacheError, "\(text): \(error)")
        continue
      }
      acceptedCount += 1
      let report = try cache.verify(dataset: "\(number)")
      #expect(report.problems.isEmpty, "\(text)")
      for layout in try cache.layouts(of: "\(number)") {
        // A layout that cannot place the items reports so.
        do {
          let id = LayoutID(layout.name, of: "\(number)")
          try cache.read(id) { _ = try OracleElement.all(of: $0) }
        } catch {
          #expect(error is LayoutCacheError, "\(text): \(error)")
        }
      }
      try cache.removeDataset("\(number)")
    }
    #expect(acceptedCount > 0)
    try expectUntouched(cache)
    withExtendedLifetime(directory) {}
  }

  @Test func archivesOfOtherVersionsAreRejected() throws {
    let archive = try feed.cache.archive()
    let (directory, cache) = try empty()
    var other = archive
    other[3] += 1
    let otherFormat = "not a dataset archive that this version can read"
    #expect(throws: ReplicationError.unreadableArchive(otherFormat)) { try cache.load(other) }
    #expect(throws: ReplicationError.unreadableArchive(otherFormat)) { try cache.load([]) }
    var records = try ArchiveRecords(archive)
    records.records[0].payload[0] += 1
    let error = #expect(throws: ReplicationError.self) { try cache.load(records.archive) }
    #expect("\(error as Any)".contains("version \(LayoutRules.version + 1) of the layout rules"))
    try expectUntouched(cache)
    withExtendedLifetime(directory) {}
  }

  @Test func anExistingDatasetIsReplacedAsAWhole() throws {
    let archive = try feed.cache.archive()
    let elements = try OracleElement.all(of: feed.cache)
    try feed.cache.update(
      "feed", with: [.delete(keys: ["s-1"]), .mark(source: "x", position: "1")])
    // A cache with the file open, which has already answered from it, sees either version whole.
    let other = try LayoutCache(path: feed.path)
    #expect(try OracleElement.all(of: other).count == elements.count - 1)
    #expect {
      try feed.cache.load(archive)
    } throws: {
      if case .datasetExists? = ($0 as? LayoutCacheError)?.code { true } else { false }
    }
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      let source = Pieces(archive, of: 100)
      try feed.cache.loadArchive(as: "feed", replacing: true, next: source.next) { _, _ in
        throw Refused()
      }
    }
    #expect(try OracleElement.all(of: feed.cache).count == elements.count - 1)
    try expectUntouched(feed.cache, datasets: ["feed"])
    try feed.cache.load(archive, replacing: true)
    for cache in [feed.cache, other] {
      #expect(try OracleElement.all(of: cache) == elements)
      #expect(try cache.dataset("feed").marks.map(\.source) == ["src"])
      #expect(try cache.dataset("feed").revision == 3)
    }
    #expect(try other.archive() == archive)
    try expectUntouched(feed.cache, datasets: ["feed"])
  }

  /// It is the same dataset to listeners, but no log entry leads to its new state.
  @Test func listenersAreResetByALoad() async throws {
    var commits = try await feed.cache.commits(of: "feed", layouts: ["layout"])
      .makeAsyncIterator()
    let archive = try feed.cache.archive()
    try feed.cache.load(archive, replacing: true)
    let incarnation = try feed.cache.dataset("feed").incarnation
    #expect(try await commits.next() == .reset(revision: 3, incarnation: incarnation))
    try feed.cache.update("feed", with: [.delete(keys: ["s-1"])])
    guard case .commit(let commit)? = try await commits.next() else {
      Issue.record("the listener was not reset")
      return
    }
    #expect(commit.revision == 4 && !commit.layouts[0].context.invalidateEverything)
  }

  /// Layout ids are unique among all nodes that share a log.
  @Test func loadingALayoutIDOfAnotherDatasetIsRejected() throws {
    let archive = try feed.cache.archive()
    #expect {
      try feed.cache.load(archive, as: "copy")
    } throws: {
      "\($0)".contains("belongs to another dataset")
    }
    try expectUntouched(feed.cache, datasets: ["feed"])
  }

  @Test func theHookIsPartOfTheTransaction() throws {
    let archive = try feed.cache.archive()
    let (directory, cache) = try empty()
    let source = Pieces(archive, of: 100)
    try cache.loadArchive(as: "feed", next: source.next) { writer, row in
      #expect(row.name == "feed" && row.revision == 3)
      #expect(try writer.reader.dataset(named: "feed")?.id == row.id)
      try writer.put(MarkRow(dataset: row.id, source: "hook", position: "1", revision: 3))
    }
    #expect(try cache.dataset("feed").marks.map(\.source) == ["hook", "src"])
    withExtendedLifetime(directory) {}
  }

  /// A loaded dataset has no older checkpoints, so previous columns of items are unknown.
  @Test func commitsBeforeALoadedArchiveCannotBeUndone() throws {
    let (directory, cache) = try empty()
    try cache.load(feed.cache.archive())
    for _ in 0..<2 {
      #expect {
        try cache.undo("feed")
      } throws: { error in
        guard case .cannotUndo(3, .notLogged, _)? = (error as? LayoutCacheError)?.code else {
          return false
        }
        return true
      }
      try cache.prepare(Self.layout)
    }
    let before = try OracleElement.all(of: cache)
    try cache.update("feed", with: [.delete(keys: ["s-2"])])
    try cache.checkpoint()
    try cache.undo("feed")
    #expect(try OracleElement.all(of: cache) == before)
    #expect(try cache.verify().problems.isEmpty)
    withExtendedLifetime(directory) {}
  }

  @Test func requestsAreReplayedFromALoadedArchive() throws {
    let cache = try LayoutCache(path: feed.path, clock: clock.clock)
    func send(_ key: String, to cache: LayoutCache) throws -> ChangeOutcome {
      let request = try IdempotentRequest(key: key, owner: "o", bodyHash: [1, 2])
      let item = try Item(key: "new \(key)", width: 1, height: 1)
      return try cache.update(
        "feed", with: [.insert([item], at: .end(section: "s"))], once: request
      ) { _ in [7] }
    }
    _ = try send("old", to: cache)
    clock.advance(by: Self.day)
    for number in 0..<700 { _ = try send("\(number)", to: cache) }
    let (directory, copy) = try empty()
    try copy.load(cache.archive())
    guard case .replayed(revision: 5, answer: nil) = try send("0", to: copy) else {
      Issue.record("the request was not replayed")
      return
    }
    let database = try RawDatabase(path: directory.path(of: "other.sqlite"))
    #expect(try database.number("SELECT count(*) FROM requests") == 700)
    #expect(try copy.verify().problems.isEmpty)
    // Only the time of the last commit counts, not that of the export.
    let archive = try cache.archive()
    clock.advance(by: Self.day - 1)
    _ = try cache.createDataset("other")
    #expect(try cache.archive() == archive)
    #expect(try copy.archive() == archive)
  }

  /// A result laid out while its dataset was replaced has no owner, even if layout,
  /// configuration and revision are the same.
  @Test func aResultForTheReplacedDatasetIsNotPublished() throws {
    let other = try TestFeed([OracleSection("s", sizes: [(1, 1), (2, 3)])])
    try other.set(Self.uneven)
    let cache = try LayoutCache(path: other.path)
    // The same layout without a result, in a dataset of the same revision.
    var records = try ArchiveRecords(other.cache.archive())
    let items = try #require(records.records.firstIndex { $0.kind == .items })
    var run = ItemRun()
    for (key, height) in [("a", 5.0), ("b", 9.0)] {
      run.append(try Item(key: key, width: 1, height: height))
    }
    var bytes = ByteWriter()
    run.encodeWithData(into: &bytes)
    records.records[items].payload = bytes.bytes
    let archive = try records.archive
    let isLoaded = Box(false)
    try cache.prepare(Self.layout) { _ in
      if isLoaded.value { return }
      isLoaded.value = true
      do {
        try other.cache.load(archive, replacing: true)
      } catch {
        Issue.record(error)
      }
    }
    #expect(isLoaded.value)
    let keys = try OracleElement.all(of: cache).compactMap(\.key)
    #expect(keys == ["a", "b"])
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func unknownKindsAreRejectedIfTheirColumnsAreStored() throws {
    let custom = #"{"container":{"width":90},"section":{"kind":"stack"}}"#
    let mixed =
      #"{"container":{"width":90},"section":{"columns":2},"sections":{"s":{"kind":"stack"}}}"#
    for (text, isLoaded) in [(custom, true), (mixed, false)] {
      try feed.set(text)
      try feed.cache.prepare(Self.layout)
      let archive = try feed.cache.archive()
      let (directory, cache) = try empty(kinds: [])
      if isLoaded {
        try cache.load(archive)
        #expect(try cache.archive() == archive)
      } else {
        #expect(throws: LayoutCacheError.self) { try cache.load(archive) }
        try expectUntouched(cache)
      }
      withExtendedLifetime(directory) {}
    }
  }

  /// The cleanup after killed processes checks when a load was last active.
  @Test(arguments: [2, 16])
  func aSlowLoadIsReclaimedOnlyAfterTheTimeout(minutes: Int) throws {
    let archive = try feed.cache.archive()
    let (directory, cache) = try empty()
    let other = try LayoutCache(path: directory.path(of: "other.sqlite"), clock: clock.clock)
    let pieces = Pieces(archive, of: 50)
    func load() throws {
      try cache.loadArchive(as: "feed") {
        clock.advance(by: Int64(minutes) * 60 * 1000)
        try other.compact()
        return pieces.next()
      }
    }
    if minutes < 15 {
      try load()
      #expect(try other.archive() == archive)
      try expectUntouched(other, datasets: ["feed"])
    } else {
      #expect(throws: LayoutCacheError.self) { try load() }
      try expectUntouched(other)
    }
  }

  /// The received bytes are in the file, except for a bounded rest, however many follow.
  @Test func anArchiveIsStoredWhileItArrives() throws {
    let (source, copy) = (try empty(), try empty())
    let data = try ItemData(json: #"{"a":"\#(String(repeating: "x", count: 3000))"}"#)
    _ = try source.1.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<2000 {
        try importer.add(Item(key: "\(number)", width: 1, height: 1, data: data))
      }
    }
    let archive = try source.1.archive()
    #expect(archive.count > 6_000_000)
    let pieces = Pieces(archive, of: 10_000)
    let rest = Box(0)
    try copy.1.loadArchive(as: "feed") {
      let stored = try copy.1.store.read { reader in
        try reader.remains().reduce(0) { sum, remains in
          guard case .nodes(let space) = remains else { return sum }
          return try sum + reader.nodeBytes(in: space).bytes
        }
      }
      rest.value = max(rest.value, pieces.count - stored)
      return pieces.next()
    }
    #expect(rest.value < 3 << 19)
    #expect(try copy.1.archive() == archive)
  }
}
