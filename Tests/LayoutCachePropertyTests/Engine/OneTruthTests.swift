import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: caches on one file follow its log at different times: with every batch, after many
// batches, reopened, killed. They commit, prepare, lag, lay out from scratch and change
// configurations. Nodes of layouts are damaged in the file, so that a cache that reads one lays
// the layout out again. Sections are stable waterfalls that batches make uneven: their columns
// depend on the history, so different histories result in different columns.
//
// Invariants: two answers with equal incarnation and revision are equal, in every cache; caches
// that continue to query end with the same answer; no answer is of an earlier revision.

@Suite struct OneTruthTests {
  static let layouts = ["phone", "desk"]

  static func text(width: Int, using generator: inout SeededGenerator) -> String {
    let ties = generator.oneIn(2) ? "leading" : "cursor"
    return #"{"container":{"width":\#(width)},"section":{"kind":"waterfall","columns":"#
      + #"\#(Int.random(in: 2...5, using: &generator)),"itemLength":"natural","ties":"\#(ties)","#
      + #""maximumSkew":\#(Int.random(in: 0...60, using: &generator))},"#
      + #""sections":{"t":{"assignment":"exact"},"u":{"kind":"flow"}}}"#
  }

  private static func sections(using generator: inout SeededGenerator) -> [OracleSection] {
    ["s", "t", "u", "v"].map { key in
      OracleSection(
        key,
        sizes: (0..<Int.random(in: 5...60, using: &generator)).map { _ in
          (10, Double(Int.random(in: 1...30, using: &generator)))
        })
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func anIncarnationAndARevisionNameOneAnswer(seed: UInt64) throws {
    var run = try Run(seed: seed)
    for step in PropertyRun.each(seed, steps: 40) {
      if step > 0, step % 160 == 0 { run = try Run(seed: seed &+ UInt64(step)) }
      do {
        try run.step()
      } catch {
        let history = run.history.joined(separator: "\n")
        Issue.record("\(error)\n\(history)")
        return
      }
    }
    let confirmedCount = run.answers.confirmedCount
    #expect(confirmedCount > 0)
  }

  private struct Run {
    var generator: SeededGenerator
    let test: TestFeed
    let options: LayoutCacheOptions
    /// One cache queries often, one lags, and one is reopened often.
    var caches: [LayoutCache]
    var batches: RandomBatch
    /// The expected dataset; only its items are compared.
    var feed: OracleFeed
    var answers = KnownAnswers()
    var revision = 1
    var history: [String] = []

    init(seed: UInt64) throws {
      generator = SeededGenerator(seed: seed)
      let sections = OneTruthTests.sections(using: &generator)
      var options = LayoutCacheOptions.randomShapes(using: &generator)
      if generator.oneIn(2) {
        options.treeShapes.rebalancing = RebalanceRules(
          instalment: .random(in: 1...5, using: &generator),
          batchMax: .random(in: 1...30, using: &generator))
      }
      self.options = options
      test = try TestFeed(sections, options: options)
      feed = try OracleFeed(
        configuration: #"{"container":{"width":9},"section":{"kind":"waterfall"}}"#,
        sections: sections)
      batches = RandomBatch(source: RandomFeed(itemCountMax: 20), itemCountMax: 200)
      for layout in OneTruthTests.layouts {
        try test.cache.setLayout(
          LayoutID(layout, of: "feed"),
          to: ConfigurationText.decode(OneTruthTests.text(width: 400, using: &generator)))
      }
      caches = [test.cache]
      for _ in 0..<2 { caches.append(try LayoutCache(path: test.path, options: options)) }
    }

    mutating func step() throws {
      let number = Int.random(in: 0..<caches.count, using: &generator)
      let layout = OneTruthTests.layouts.randomElement(using: &generator)!
      let id = LayoutID(layout, of: "feed")
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<5:
        record("\(number) prepares \(layout)")
        try caches[number].prepare(id)
      case 5..<10:
        record("\(number) checkpoints")
        try caches[number].checkpoint()
      case 10..<13:
        record("\(number) configures \(layout)")
        let text = OneTruthTests.text(width: generator.oneIn(2) ? 400 : 300, using: &generator)
        try caches[number].setLayout(id, to: ConfigurationText.decode(text))
      case 13..<20: try damage()
      case 20..<26:
        record("\(number) is closed")
        try caches[number].close()
        caches[number] = try LayoutCache(path: test.path, options: options)
      case 26..<30:
        record("\(number) finishes")
        revision = try caches[number].finishRebalancing("feed").revision
      default: try commit(by: number, layout)
      }
      if generator.oneIn(4) {
        record("2 is abandoned")
        caches[2] = try LayoutCache(path: test.path, options: options)
      }
      for (number, share) in [3, 1, 1].enumerated() {
        for layout in OneTruthTests.layouts
        where Int.random(in: 0..<5, using: &generator) < share {
          _ = try ask(number, layout)
        }
      }
      if generator.oneIn(8) { try agree() }
    }

    private mutating func record(_ action: String) { history.append(action) }

    private mutating func commit(by number: Int, _ layout: String) throws {
      var batch = batches.next(for: feed, using: &generator)
      // Operations on a layout apply to a random one.
      batch.removeAll {
        switch $0 {
        case .prefer, .preferLengths, .resetLengths: true
        default: false
        }
      }
      if generator.oneIn(8) { batch.append(.invalidate(everything: true)) }
      if batch.isEmpty { batch = [.rebalance()] }
      try feed.apply(batch)
      let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
      record("\(number) commits for \(layout), \(layouts): \(batch)")
      let commit = try caches[number].update(
        "feed", with: batch.map { try BatchOperation($0, layout: layout) }, preparing: layouts)
      guard commit.revision >= revision else {
        throw KnownAnswers.Contradiction(description: "\(commit) is older than \(revision)")
      }
      revision = commit.revision
    }

    /// Damages a node of a layout in the file.
    private mutating func damage() throws {
      let database = try RawDatabase(path: test.path)
      let nodes = try database.rows(
        "SELECT id FROM nodes WHERE id >> 38 IN (SELECT space FROM layouts) ORDER BY id")
      guard let node = nodes.randomElement(using: &generator)?[0].number else { return }
      record("node \(node) is damaged")
      try database.execute(
        "UPDATE nodes SET payload = zeroblob(20) WHERE id = ?", [.number(node)])
    }

    private mutating func ask(_ number: Int, _ layout: String) throws -> KnownAnswers.Answer {
      let answer = try KnownAnswers.Answer(layout, from: caches[number])
      try answers.add(answer, by: "cache \(number)")
      guard answer.revision == revision else {
        throw KnownAnswers.Contradiction(
          description: "\(number) answers of \(answer.revision) instead of \(revision)")
      }
      return answer
    }

    /// Once a cache has laid out a damaged layout again, all caches have its result.
    private mutating func agree() throws {
      for layout in OneTruthTests.layouts {
        for attempt in 0..<4 {
          var found: Set<KnownAnswers.Answer> = []
          for number in caches.indices { found.insert(try ask(number, layout)) }
          if found.count == 1 { break }
          guard attempt < 3 else {
            throw KnownAnswers.Contradiction(description: "no one answer: \(found)")
          }
        }
      }
    }
  }
}
