import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: two datasets in one file, each with three layouts of mixed kinds, and three caches with
// different schedules: one updates its layouts with every commit, one lets them lag and queries
// rarely, one is closed, killed and reopened. Each of them commits batches for all layouts or for
// one, changes and restores configurations, removes, creates and renames layouts and datasets,
// imports, checkpoints, prepares, and undoes the latest commit, also several times in a row. In
// half of the runs a batch places only a few items again.
//
// Invariants: every cache always returns the oracle's elements of a layout, at the dataset's
// revision; an invalid batch is rejected by all caches for the same reason, whatever layouts are
// active; a commit's context has the growth of the content; the states in memory satisfy their
// invariants; verify is clean.

@Suite struct SeveralLayoutsPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func everyLayoutEqualsItsOracleInEveryCache(seed: UInt64) throws {
    var run = try SeveralLayoutsRun(seed: seed)
    for step in PropertyRun.each(seed, steps: 40) {
      if step > 0, step % 120 == 0 {
        run = try SeveralLayoutsRun(seed: seed &* 1_000_003 &+ UInt64(step))
      }
      do {
        try run.step()
      } catch {
        let texts = run.datasets.flatMap(\.layouts).map(\.text).joined(separator: "\n")
        Issue.record(
          """
          \(error)
          \(run.history.joined(separator: "\n"))
          \(texts)
          """)
        return
      }
    }
  }
}

extension SeveralLayoutsRun {
  fileprivate mutating func step() throws {
    let schedule = Schedule.allCases.randomElement(using: &generator)!
    let cache = caches[schedule.rawValue]
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<6: try configure(by: cache)
    case 6..<9: try recreateLayout(by: cache)
    case 9..<13: try rename(by: cache)
    case 13..<18: try importItems(by: cache)
    case 18..<22:
      record("\(schedule) checkpoints")
      try cache.checkpoint()
    case 22..<26:
      let (dataset, layout) = anyLayout()
      record("\(schedule) prepares \(id(dataset, layout))")
      let preparation = try cache.prepare(id(dataset, layout))
      #expect(preparation.revision == datasets[dataset].revision)
      try datasets[dataset].prepare(layout)
    case 26..<29:
      try finishRebalancing(datasets.indices.randomElement(using: &generator)!)
    case 29..<33:
      let report = try cache.verify()
      guard report.problems.isEmpty else { throw Difference(description: "\(report.problems)") }
    case 33..<38: try reject()
    case 38..<54: try undo(by: schedule)
    default: try commit(by: schedule)
    }
    if generator.oneIn(5) { try reopen(.restless) }
    if generator.oneIn(40) { try reopen(.eager) }
    if generator.oneIn(40) { try reopen(.lazy) }
    try askSome()
  }

  private mutating func commit(by schedule: Schedule) throws {
    let dataset = datasets.indices.randomElement(using: &generator)!
    var batch = batches[dataset].next(for: datasets[dataset], using: &generator)
    if generator.oneIn(3), let other = ofOneLayout(dataset) { batch = other }
    if generator.oneIn(6) {
      let layout = datasets[dataset].layouts.indices.randomElement(using: &generator)!
      let place = Int.random(in: 0...batch.count, using: &generator)
      batch.insert(.init(.invalidate(everything: true), layout: layout), at: place)
    }
    // Layouts that a cache has queried are active in it.
    let hasAskedForAll = schedule == .eager && generator.oneIn(3)
    if hasAskedForAll {
      for layout in datasets[dataset].layouts.indices { try ask(.eager, dataset, layout) }
    }
    let layouts: UpdatedLayouts =
      switch schedule {
      case .eager: generator.oneIn(3) ? .upToDate : .inUse
      case .lazy: .none
      case .restless: [.inUse, .upToDate, .none].randomElement(using: &generator)!
      }
    record("\(schedule) commits to \(datasets[dataset].name), \(layouts): \(batch)")
    let before = datasets[dataset]
    try datasets[dataset].apply(batch)
    let commit = try caches[schedule.rawValue].update(
      before.name, with: batch.map { try BatchOperation($0, in: before) }, preparing: layouts)
    let updatedCount =
      hasAskedForAll && commit.revision > before.revision ? before.layouts.count : 0
    guard commit.revision == datasets[dataset].revision, commit.behind.isEmpty,
      commit.layouts.count >= updatedCount
    else {
      throw Difference(description: "\(commit) is not of revision \(datasets[dataset].revision)")
    }
    for change in commit.layouts {
      let layout = before.layouts.firstIndex { $0.name == change.layout }!
      // An active layout is laid out from scratch immediately.
      if !datasets[dataset].layouts[layout].feed.hasResult {
        try datasets[dataset].prepare(layout)
      }
      let (old, new) = (before.layouts[layout].feed, datasets[dataset].layouts[layout].feed)
      let (oldSize, newSize) = (old.oracle.contentSize, new.oracle.contentSize)
      let adjustment = change.context.contentSizeAdjustment
      guard adjustment.width.units == newSize.width - oldSize.width,
        adjustment.height.units == newSize.height - oldSize.height, old.hasResult
      else { throw Difference(description: "\(change): from \(oldSize) to \(newSize)") }
    }
  }

  /// Undoes the latest commit, once or several times in a row.
  private mutating func undo(by schedule: Schedule) throws {
    let dataset = datasets.indices.randomElement(using: &generator)!
    for _ in 0..<(generator.oneIn(3) ? Int.random(in: 2...4, using: &generator) : 1) {
      let present = datasets[dataset]
      guard let former = formers[dataset], let back = present.undoing(to: former) else {
        return
      }
      let layouts: UpdatedLayouts = [.inUse, .upToDate, .none].randomElement(using: &generator)!
      record("\(schedule) undoes revision \(present.revision) of \(present.name), \(layouts)")
      let commit = try caches[schedule.rawValue].undo(
        present.name, preparing: layouts, expecting: present.revision)
      datasets[dataset] = back
      guard commit.revision == back.revision, commit.behind.isEmpty else {
        throw Difference(description: "\(commit) is not of revision \(back.revision)")
      }
      for change in commit.layouts {
        guard let layout = back.layouts.firstIndex(where: { $0.name == change.layout }),
          back.layouts[layout].feed.hasResult
        else { continue }
        change.context.expectComplete(
          before: present.layouts[layout].feed.oracle, after: back.layouts[layout].feed.oracle,
          text: back.layouts[layout].text, "\(history.joined(separator: "\n"))")
      }
      if generator.oneIn(4) { try reopen(schedule) }
      if generator.oneIn(4) { try caches[schedule.rawValue].checkpoint() }
      if generator.oneIn(3) { try askSome() }
    }
  }

  /// A batch that makes the columns of one layout uneven, or places its items again; `nil` without
  /// a stable waterfall.
  private mutating func ofOneLayout(_ dataset: Int) -> [OracleDataset.Operation]? {
    var stable: [(layout: Int, section: OracleSection)] = []
    for (layout, description) in datasets[dataset].layouts.enumerated() {
      for section in description.feed.sections
      where section.items.count > 5 && section.items[0].storedColumn != nil {
        stable.append((layout, section))
      }
    }
    guard let (layout, section) = stable.randomElement(using: &generator) else { return nil }
    let column = section.items.randomElement(using: &generator)?.storedColumn
    let isHigh = generator.oneIn(2)
    let longest = section.items.max {
      ($0.height / $0.width < $1.height / $1.width) == isHigh
    }!
    var operations: [OracleOperation] = []
    if !generator.oneIn(3) {
      for item in section.items.filter({ $0.storedColumn == column }).prefix(8) {
        operations.append(
          .resize(key: item.key, width: longest.width, height: longest.height))
      }
    }
    if operations.isEmpty || generator.oneIn(3) {
      let item = section.items.randomElement(using: &generator)!
      operations.append(
        .rebalance(section: section.key, from: generator.oneIn(2) ? item.key : nil))
    }
    return operations.map { .init($0, layout: layout) }
  }

  /// All caches reject an invalid batch for the same reason, and nothing changes.
  private mutating func reject() throws {
    let dataset = datasets.indices.randomElement(using: &generator)!
    let batch = batches[dataset].nextRefused(for: datasets[dataset], using: &generator)
    record("rejected: \(batch)")
    let refusal = #expect(throws: OracleRefusal.self) { try datasets[dataset].apply(batch) }
    let operations = try batch.map { try BatchOperation($0, in: datasets[dataset]) }
    var reasons: [String] = []
    for cache in caches {
      for layouts in [UpdatedLayouts.inUse, .upToDate, .none] {
        do {
          _ = try cache.update(datasets[dataset].name, with: operations, preparing: layouts)
          throw Difference(description: "\(batch) is not rejected")
        } catch let error as LayoutCacheError {
          reasons.append("\(error)")
        }
      }
    }
    guard Set(reasons).count == 1, reasons[0].contains("operation \(refusal?.operation ?? 0)")
    else { throw Difference(description: "\(refusal, default: "no refusal"): \(reasons)") }
  }

  /// Each cache queries some layouts, or none.
  private mutating func askSome() throws {
    for schedule in Schedule.allCases.shuffled(using: &generator) {
      let share =
        switch schedule {
        case .eager: generator.oneIn(3) ? 2 : 6
        case .lazy: generator.oneIn(8) ? 4 : 0
        case .restless: generator.oneIn(2) ? 3 : 0
        }
      for dataset in datasets.indices {
        for layout in datasets[dataset].layouts.indices
        where Int.random(in: 0..<6, using: &generator) < share {
          let freshness: Freshness = generator.oneIn(12) ? .last : .current
          try ask(schedule, dataset, layout, freshness: freshness)
        }
      }
    }
  }
}
