import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: a dataset with three layouts of mixed kinds. One cache commits random batches, undoes
// them, sometimes checkpoints, and is closed and reopened. This cache, or another one on the same
// file, is asked for the changes since a random revision, in one of the layouts, in the whole
// content or in a rectangle. The oracle's states at all revisions are stored.
//
// Invariants: the updates turn a client's old lists into the present ones; parts that a composed
// context does not name have not changed; for a rectangle it names exactly the sections that
// intersect it, with the same changes as for the whole content. Queries change nothing.

@Suite struct ChangesPropertyTests {
  private static let layouts = ["phone", "desk", "wall"]

  @Test(.property, arguments: PropertyRun.seeds)
  func partsThatAreNotNamedHaveNotChanged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var followedCount = 0
    for _ in PropertyRun.each(seed, rounds: 3) {
      var run = try Run(using: &generator)
      for _ in PropertyRun.each(seed, steps: 14) {
        try run.step(using: &generator)
        for _ in 0..<2 {
          followedCount += try run.ask(using: &generator)
        }
      }
    }
    #expect(followedCount > 0)
  }

  private struct Run {
    let test: TestFeed
    let options: LayoutCacheOptions
    var writer: LayoutCache
    let asker: LayoutCache
    var batches: RandomBatch
    /// The dataset at each revision, from 1 on.
    var history: [OracleDataset]

    init(using generator: inout SeededGenerator) throws {
      var source = RandomFeed(
        sectionCountMax: 4, itemCountMax: generator.oneIn(2) ? 200 : 30)
      let sections = source.sections(using: &generator)
      let configurations = RandomConfiguration(
        kinds: TestKinds.mixes.randomElement(using: &generator)!)
      let keys = sections.map(\.key)
      let texts = layouts.map {
        (name: $0, text: configurations.text(sectionKeys: keys, using: &generator))
      }
      batches = RandomBatch(source: source)
      options = LayoutCacheOptions.randomShapes(using: &generator)
      test = try TestFeed(sections, options: options)
      writer = test.cache
      asker = try LayoutCache(path: test.path, options: options, sectionLayouts: TestKinds.all)
      var dataset = try OracleDataset(name: "feed", sections: sections, layouts: texts)
      for (index, layout) in dataset.layouts.enumerated() {
        let id = LayoutID(layout.name, of: "feed")
        try writer.setLayout(id, to: ConfigurationText.decode(layout.text))
        try writer.prepare(id)
        try dataset.prepare(index)
      }
      history = [dataset]
    }

    var present: OracleDataset { history[history.count - 1] }

    mutating func step(using generator: inout SeededGenerator) throws {
      if try generator.oneIn(4) && undo(using: &generator) { return try end(using: &generator) }
      var dataset = present
      let batch = batches.next(for: dataset, using: &generator)
      try dataset.apply(batch)
      let commit = try writer.update(
        "feed", with: batch.map { try BatchOperation($0, in: dataset) },
        preparing: generator.oneIn(3) ? .none : .upToDate)
      try #require(commit.revision == dataset.revision)
      // A layout that must be laid out from scratch is laid out from the items after this batch.
      for (index, layout) in dataset.layouts.enumerated() {
        if batch.contains(where: { [$0.operation].isEverything && $0.layout == index }) {
          try writer.prepare(LayoutID(layout.name, of: "feed"))
          try dataset.prepare(index)
        }
      }
      if dataset.revision > present.revision { history.append(dataset) }
      try end(using: &generator)
    }

    /// - Returns: Whether the latest commit could be undone.
    private mutating func undo(using generator: inout SeededGenerator) throws -> Bool {
      guard history.count > 1, let back = present.undoing(to: history[history.count - 2])
      else { return false }
      let commit = try writer.undo("feed", preparing: generator.oneIn(3) ? .none : .upToDate)
      try #require(commit.revision == back.revision)
      history.append(back)
      return true
    }

    private mutating func end(using generator: inout SeededGenerator) throws {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: try writer.checkpoint()
      case 1:
        try writer.close()
        writer = try LayoutCache(
          path: test.path, options: options, sectionLayouts: TestKinds.all)
      case 2:
        // As if the process were killed.
        writer = try LayoutCache(
          path: test.path, options: options, sectionLayouts: TestKinds.all)
      default: break
      }
    }

    /// - Returns: 1 if the layout's context was computed from the log.
    func ask(using generator: inout SeededGenerator) throws -> Int {
      let cache = generator.oneIn(2) ? writer : asker
      let then = history.randomElement(using: &generator)!
      let index = Int.random(in: 0..<layouts.count, using: &generator)
      let layout = then.layouts[index]
      let origin = "\(layout.name) since \(then.revision)\n\(layout.text)"
      let changes = try cache.changes(of: "feed", since: then.revision, layout: layout.name)
      #expect(changes.revision == present.revision && changes.since == then.revision)
      changes.updates.expectToLead(from: then.sections, to: present.sections, origin)
      let change = try #require(changes.layouts.first)
      #expect(change.layout == layout.name && changes.layouts.count == 1)
      if change.context.invalidateEverything { return 0 }
      var now = present
      try now.prepare(index)
      let oracle = now.layouts[index].feed.oracle
      change.context.expectComplete(
        before: layout.feed.oracle, after: oracle, text: layout.text,
        Comment(rawValue: origin))
      try expectCut(
        change, oracle, layout.text, since: then.revision, by: cache, Comment(rawValue: origin),
        &generator)
      return 1
    }

    /// Asks for the same changes in a rectangle.
    private func expectCut(
      _ change: Commit.LayoutChange, _ oracle: Oracle, _ text: String, since revision: Int,
      by cache: LayoutCache, _ origin: Comment, _ generator: inout SeededGenerator
    ) throws {
      let size = oracle.contentSize
      let rect = UnitRect(
        x: .random(in: -99...size.width, using: &generator),
        y: .random(in: -99...size.height, using: &generator),
        width: .random(in: 0...(size.width / 2 + 1), using: &generator),
        height: .random(in: 0...(size.height / 2 + 1), using: &generator))
      let cut = try cache.changes(
        of: "feed", since: revision, layout: change.layout, in: Rect(rect))
      let met = change.context.sections.filter {
        let section = oracle.sectionsSummary[$0.section]
        return Rect(rect).intersects(Self.frame(of: section, in: size, text))
      }
      #expect(cut.layouts.first?.context.sections == met, origin)
      #expect(
        cut.layouts.first?.context.contentSizeAdjustment == change.context.contentSizeAdjustment,
        origin)
    }

    /// A section's frame, as wide as the container.
    private static func frame(
      of section: OracleSectionSummary, in size: UnitSize, _ text: String
    ) -> Rect {
      if !text.contains("horizontal") {
        return Rect(
          UnitRect(x: 0, y: section.start, width: size.width, height: section.length))
      }
      let end = section.start + section.length
      let x = text.contains("rightToLeft") ? size.width - end : section.start
      return Rect(UnitRect(x: x, y: 0, width: section.length, height: size.height))
    }
  }
}
