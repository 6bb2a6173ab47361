import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Two answers of one incarnation and revision are equal: also those of a second process, and of a
// layout that lags too far to catch up from the log. Worlds compare those of two caches.

@Suite struct OneTruthProcessTests {
  private static let stable =
    #"{"container":{"width":400},"section":{"kind":"waterfall","columns":4,"#
    + #""itemLength":"natural","maximumSkew":10,"ties":"cursor"}}"#
  private static let layouts = ["phone", "desk"]

  private func feed(
    count: Int = 80, options: LayoutCacheOptions = LayoutCacheOptions()
  ) throws -> TestFeed {
    let feed = try TestFeed(
      [.mixed("s", count: count), .mixed("t", count: count / 2)], options: options)
    for layout in Self.layouts {
      try feed.cache.setLayout(
        LayoutID(layout, of: "feed"), to: ConfigurationText.decode(Self.stable))
    }
    return feed
  }

  /// Commits, queries, lays out layouts from scratch, and records the answers.
  private static func work(
    _ count: Int, as worker: String, seed: UInt64, on path: String, answers: String
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var cache = try LayoutCache(path: path)
    var lines = ""
    for number in 1...count {
      let height = Double(Int.random(in: 1...90, using: &generator))
      let size = try Item(key: "any", width: 20, height: height).size
      var batch: [BatchOperation] = [
        .insert(
          [try Item(key: "\(worker) \(number)", width: 20, height: height)],
          at: .index(number % 9, section: number % 2 == 0 ? "s" : "t")),
        .resize(key: "s-\(Int.random(in: 0..<30, using: &generator))", size: size),
      ]
      let layout = layouts.randomElement(using: &generator)!
      if generator.oneIn(9) { batch.append(.invalidate(layout: layout, everything: true)) }
      let prepared: UpdatedLayouts = generator.oneIn(3) ? .none : .inUse
      try cache.update("feed", with: batch, preparing: prepared)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: try cache.checkpoint()
      case 1: cache = try LayoutCache(path: path)
      case 2: try cache.prepare(LayoutID(layout, of: "feed"))
      default: break
      }
      for layout in layouts { lines += try KnownAnswers.Answer(layout, from: cache).line + "\n" }
    }
    try lines.write(toFile: answers, atomically: true, encoding: .utf8)
  }

  @Test func twoProcessesAgreeForEachIncarnationAndRevision() async throws {
    let test = try feed()
    let seed = PropertyRun.seeds[PropertyRun.seeds.count - 1]
    let count = PropertyRun.steps(40)
    let (path, directory) = (test.path, test.directory)
    let own = Task.detached {
      try Self.work(count, as: "own", seed: seed, on: path, answers: directory.path(of: "own"))
    }
    let log = directory.path(of: "child")
    await #expect(processExitsWith: .success) {
      [path = path as String, log = log as String, count = count as Int, seed = seed as UInt64] in
      try Self.work(count, as: "child", seed: seed &+ 1, on: path, answers: log)
    }
    try await own.value
    var answers = KnownAnswers()
    for worker in ["own", "child"] {
      let lines = try String(contentsOfFile: directory.path(of: worker), encoding: .utf8)
      for line in lines.split(separator: "\n") {
        try answers.add(#require(KnownAnswers.Answer(line: line)), by: worker)
      }
    }
    let last = try LayoutCache(path: path)
    for layout in Self.layouts {
      let found = try KnownAnswers.Answer(layout, from: test.cache)
      let other = try KnownAnswers.Answer(layout, from: last)
      #expect(found == other)
      try answers.add(found, by: "both")
    }
    #expect(try last.verify().problems.isEmpty, "seed \(seed)")
  }

  /// Batches that make columns uneven, each followed by an instalment.
  private func skew(_ cache: LayoutCache, _ numbers: Range<Int>, _ layouts: UpdatedLayouts) throws {
    for number in numbers {
      let size = try Item(key: "any", width: 20, height: Double(10 + number * 31 % 300)).size
      try cache.update(
        "feed",
        with: [
          .resize(key: "s-\(number * 7 % 80)", size: size), .delete(keys: ["t-\(number)"]),
        ], preparing: layouts)
    }
  }

  /// Too many operations to be followed, which change no item in the end.
  private func beyondTheBound() throws -> [BatchOperation] {
    let items = try (0..<5001).map { try Item(key: "far \($0)", width: 20, height: 20) }
    return [.insert(items, at: .index(10, section: "s")), .delete(keys: items.map(\.key))]
  }

  @Test func aCacheTooFarBehindPublishesTheLayoutForAllCaches() throws {
    for round in 0..<3 {
      let test = try feed()
      var answers = KnownAnswers()
      let follower = test.cache
      let (sleeper, writer) = (try LayoutCache(path: test.path), try LayoutCache(path: test.path))
      func ask(_ caches: [LayoutCache]) throws -> Set<KnownAnswers.Answer> {
        var found: Set<KnownAnswers.Answer> = []
        for layout in Self.layouts {
          for cache in caches {
            let answer = try KnownAnswers.Answer(layout, from: cache)
            try answers.add(answer, by: "a cache in round \(round)")
            found.insert(answer)
          }
        }
        return found
      }
      let first = try ask([follower, sleeper])
      try skew(follower, 0..<10, .inUse)
      _ = try ask([follower])
      try skew(writer, 10..<20, .none)
      if round > 0 { _ = try ask([follower]) }
      try writer.update("feed", with: beyondTheBound(), preparing: .none)
      if round == 2 {
        // The follower commits before it queries.
        try skew(follower, 20..<21, .inUse)
      }
      let reopened = try LayoutCache(path: test.path)
      let last = try ask([reopened, follower, sleeper, writer])
      #expect(last.count == Self.layouts.count)
      #expect(Set(first.map(\.incarnation)).isDisjoint(with: last.map(\.incarnation)))
      #expect(try ask([writer, reopened]) == last)
      #expect(try writer.verify().problems.isEmpty)
    }
  }

  @Test func aCatchUpPublishedAsACopyGivesTheSameAnswer() throws {
    var options = LayoutCacheOptions()
    // Small nodes, so that there are many to publish.
    options.treeShapes = .tiny
    let test = try feed(count: 6000, options: options)
    func open() throws -> LayoutCache { try LayoutCache(path: test.path, options: options) }
    let (follower, writer) = (try open(), try open())
    let layout = LayoutID(Self.layouts[0], of: "feed")
    func space() throws -> NodeSpace? { try follower.read(layout) { $0.resultSpace } }
    try writer.update("feed", with: [.invalidate(layout: layout.layout, everything: true)])
    let first = try KnownAnswers.Answer(layout.layout, from: follower)
    let firstSpace = try space()
    for number in 0..<10 {
      let resizings = try (0..<200).map { index in
        BatchOperation.resize(
          key: "s-\((number * 200 + index) * 3)",
          size: try Item(key: "any", width: 20, height: Double(5 + index * 13 % 170)).size)
      }
      try writer.update("feed", with: resizings, preparing: .none)
    }
    let followed = try KnownAnswers.Answer(layout.layout, from: follower)
    try open().prepare(layout)
    for cache in [try open(), follower, writer] {
      let answer = try KnownAnswers.Answer(layout.layout, from: cache)
      #expect((answer.revision, answer.digest) == (followed.revision, followed.digest))
      // A copy keeps no older checkpoints: earlier changes can't be undone.
      #expect(answer.incarnation != first.incarnation)
    }
    #expect(followed.incarnation == first.incarnation)
    #expect(try space() != firstSpace)
    #expect(try follower.verify().problems.isEmpty)
  }

  @Test func aLongCommitThatUpdatesLayoutsKeepsTheirHistory() throws {
    let test = try feed()
    let other = try LayoutCache(path: test.path)
    let layout = Self.layouts[0]
    let before = try KnownAnswers.Answer(layout, from: test.cache)
    try test.cache.update("feed", with: beyondTheBound())
    let after = try KnownAnswers.Answer(layout, from: test.cache)
    #expect(after.incarnation == before.incarnation)
    #expect(try KnownAnswers.Answer(layout, from: other) == after)
  }
}
