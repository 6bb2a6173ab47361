import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// Strategy: one thread removes, sets, reconfigures, renames and prepares layouts at random while
// others read them. The writer numbers its changes: an odd number while one is under way. A read
// that began and ended at the same even number has one correct answer.

/// Answers of layouts while they change. A change of layouts makes no revision.
@Suite struct ChangingLayoutTests {
  /// The possible number of columns of each layout; empty if it does not exist.
  private typealias Expected = [String: Set<Int>]

  private struct Published {
    var number = 0
    var expected: Expected = [:]
  }

  private static let names = ["phone", "any", "other"]

  private final class Feed: Sendable {
    let cache: LayoutCache
    let published = Mutex(Published())

    init() throws {
      cache = try LayoutCache.temporary()
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for number in 0..<60 {
          try importer.add(Item(key: "k\(number)", width: 4, height: 3), section: "main")
        }
      }
    }

    /// The layout that answers for a name: of a responsive layout, one width.
    func id(_ name: String) -> LayoutID {
      LayoutID(name == "any" ? "any@320" : name, of: "feed")
    }

    func set(_ name: String, columns: Int) throws {
      let width = name == "any" ? #"{"widths":{"step":8,"keep":2}}"# : #"{"width":320}"#
      try cache.setLayout(
        LayoutID(name, of: "feed"),
        to: ConfigurationText.decode(
          #"{"container":\#(width),"section":{"columns":\#(columns)}}"#))
    }

    /// Makes a change, and publishes the layouts after it.
    func change(_ body: (inout Expected) throws -> Void) throws {
      var expected = published.withLock { published in
        published.number += 1
        return published.expected
      }
      try body(&expected)
      published.withLock { published in
        published.number += 1
        published.expected = expected
      }
    }

    /// - Returns: The number of columns; `nil` if the layout does not exist.
    func columns(_ name: String) throws -> Int? {
      do {
        return try cache.read(id(name)) { snapshot in
          let rect = Rect(origin: .zero, size: snapshot.contentSize)
          let cells = try snapshot.elements(in: rect).elements
          #expect(cells.count == 60)
          return try snapshot.columnEnds(inSection: 0).count
        }
      } catch let error as LayoutCacheError {
        guard case .noSuchLayout = error.code else { throw error }
        return nil
      }
    }
  }

  private func changeOne(_ feed: Feed, using generator: inout SeededGenerator) throws {
    let name = Self.names.randomElement(using: &generator)!
    let columns = Int.random(in: 1...5, using: &generator)
    let step = Int.random(in: 0..<6, using: &generator)
    try feed.change { expected in
      let present = expected[name] ?? []
      switch step {
      case 0 where !present.isEmpty:
        try feed.cache.removeLayout(LayoutID(name, of: "feed"))
        expected[name] = []
      case 1 where name != "any" && !present.isEmpty:
        guard let other = ["phone", "other"].first(where: { expected[$0]?.isEmpty ?? true })
        else { return }
        try feed.cache.renameLayout(LayoutID(name, of: "feed"), to: other)
        (expected[name], expected[other]) = ([], present)
      case 2 where !present.isEmpty:
        try feed.set(name, columns: columns)
        // Until the new result is published, the last one may answer.
        expected[name] = present.union([columns])
      default:
        try feed.set(name, columns: columns)
        try feed.cache.prepare(feed.id(name))
        expected[name] = [columns]
      }
    }
  }

  @Test(arguments: PropertyRun.seeds) func answersAreThoseOfThePresentLayouts(
    seed: UInt64
  ) throws {
    let feed = try Feed()
    let isOver = Atomic(false)
    let compared = Atomic(0)
    let readers = Threads.start(4) { reader in
      var generator = SeededGenerator(seed: seed &+ UInt64(reader) &+ 1)
      while !isOver.load(ordering: .relaxed) {
        let name = Self.names.randomElement(using: &generator)!
        let before = feed.published.withLock { $0 }
        let columns = try feed.columns(name)
        guard before.number % 2 == 0, feed.published.withLock({ $0.number }) == before.number
        else { continue }
        compared.add(1, ordering: .relaxed)
        let expected = before.expected[name] ?? []
        let isCorrect = columns.map { expected.contains($0) } ?? expected.isEmpty
        #expect(
          isCorrect,
          "seed \(seed), change \(before.number), \(name): \(columns ?? 0) of \(expected)")
      }
    }
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<PropertyRun.steps(400) {
      try changeOne(feed, using: &generator)
      // Lets readers compare between two changes.
      let count = compared.load(ordering: .relaxed)
      var attempts = 0
      while compared.load(ordering: .relaxed) == count, attempts < 2000 { attempts += 1 }
    }
    isOver.store(true, ordering: .relaxed)
    try readers.join()
    #expect(try feed.cache.verify().problems.isEmpty)
  }
}
