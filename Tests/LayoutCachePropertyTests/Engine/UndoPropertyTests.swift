import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a dataset with three layouts of mixed kinds, in which a batch places few items again,
// so that rebalances continue for many commits. Two caches on one file commit random batches, with
// and without updating layouts, are closed, abandoned and reopened, and checkpoint and compact at
// any time. Sometimes one of them undoes the latest commits, up to four in a row. The answers at
// each revision are stored.
//
// Invariants: after an undo both caches, and a newly opened one, return the answers from before
// the undone commit, including columns, to the unit, and the same list of items; the commit's
// updates lead to that list; verify is clean. After `compact` undo fails, and everything else
// continues.

@Suite struct UndoPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func undoRestoresTheEarlierState(seed: UInt64) throws {
    var run = try UndoRun(seed: seed)
    for _ in PropertyRun.each(seed, steps: 10) {
      do {
        try run.step()
      } catch {
        Issue.record("\(error)\n\(run.history.joined(separator: "\n"))")
        return
      }
    }
    #expect(run.undoCount > 0)
  }
}

private struct UndoRun {
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  /// The answers at a revision.
  struct View {
    var dataset: OracleDataset
    var elements: [String: [OracleElement]]
    var items: [String]
  }

  private var generator: SeededGenerator
  private let directory: TemporaryDirectory
  private let options: LayoutCacheOptions
  private var caches: [LayoutCache] = []
  private var batches: RandomBatch
  /// The latest revision is the first.
  private var views: [View] = []
  private var isCompacted = false
  private(set) var history: [String] = []
  private(set) var undoCount = 0

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    directory = try TemporaryDirectory()
    var options = LayoutCacheOptions.randomShapes(using: &generator)
    options.treeShapes.rebalancing = RebalanceRules(
      instalment: Int.random(in: 1...4, using: &generator),
      batchMax: Int.random(in: 1...20, using: &generator))
    self.options = options
    var source = RandomFeed(sectionCountMax: 4, itemCountMax: 60)
    let sections = source.sections(using: &generator)
    let keys = sections.map(\.key)
    let mixed = RandomConfiguration(kinds: TestKinds.mixes.randomElement(using: &generator)!)
    let stable = RandomConfiguration(kinds: .waterfall)
    var texts: [(name: String, text: String)] = []
    for (name, kinds) in [("phone", stable), ("desk", stable), ("wall", mixed)] {
      texts.append((name, kinds.text(sectionKeys: keys, using: &generator)))
    }
    batches = RandomBatch(source: source, itemCountMax: 120)
    batches.operationCountMax = 6
    let dataset = try OracleDataset(name: "feed", sections: sections, layouts: texts)
    for _ in 0..<2 { caches.append(try open()) }
    _ = try caches[0].importItems(into: "feed", mode: .create) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items { try importer.add(Item(item), section: section.key) }
      }
    }
    for (name, text) in texts {
      try caches[0].setLayout(LayoutID(name, of: "feed"), to: ConfigurationText.decode(text))
      try caches[0].prepare(LayoutID(name, of: "feed"))
    }
    views = [try view(dataset, by: caches[0])]
  }

  private mutating func open() throws -> LayoutCache {
    var options = options
    if generator.oneIn(4) { options.nodeCacheBytes = 1 << 10 }
    return try LayoutCache(
      path: directory.path(of: "feed.sqlite"), options: options, sectionLayouts: TestKinds.all)
  }

  private mutating func record(_ action: String) { history = history.suffix(30) + [action] }

  private func view(_ dataset: OracleDataset, by cache: LayoutCache) throws -> View {
    var view = View(dataset: dataset, elements: [:], items: [])
    for layout in dataset.layouts.map(\.name) {
      view.elements[layout] = try cache.read(LayoutID(layout, of: "feed")) {
        try OracleElement.all(of: $0)
      }
    }
    try cache.forEachItem(of: "feed") { section, item in
      view.items.append(
        "\(section) \(item.key) \(item.size) \(item.columnSpan) \(item.data?.json ?? "")")
    }
    return view
  }

  mutating func step() throws {
    try disturb()
    try commit()
    try disturb()
    if !generator.oneIn(5) { try undo() }
    if generator.oneIn(8) {
      let problems = try caches[0].verify().problems
      if !problems.isEmpty { throw Difference(description: "\(problems)") }
    }
  }

  /// A random call that does not change the dataset.
  private mutating func disturb() throws {
    let number = caches.indices.randomElement(using: &generator)!
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1:
      record("\(number) checkpoints")
      try caches[number].checkpoint()
    case 2, 3:
      record("\(number) closes")
      try caches[number].close()
      caches[number] = try open()
    case 4:
      record("\(number) is abandoned")
      caches[number] = try open()
    case 5:
      let layout = views[0].dataset.layouts.randomElement(using: &generator)!.name
      record("\(number) reads \(layout)")
      _ = try caches[number].read(LayoutID(layout, of: "feed")) { $0.contentSize }
    case 6 where generator.oneIn(3):
      record("\(number) compacts")
      try caches[number].compact()
      // Undo may fail now. It need not: the other cache's latest commits may be only in the log.
      isCompacted = true
    default: break
    }
  }

  private mutating func commit() throws {
    var dataset = views[0].dataset
    let batch = batches.next(for: dataset, using: &generator)
      .filter { ![$0.operation].isEverything }
    let operations = try batch.map { try BatchOperation($0, in: dataset) }
    try dataset.apply(batch)
    if dataset.revision == views[0].dataset.revision { return }
    let number = caches.indices.randomElement(using: &generator)!
    record("\(number) commits \(batch)")
    try caches[number].update(
      "feed", with: operations,
      preparing: [.inUse, .upToDate, .none].randomElement(using: &generator)!)
    isCompacted = false
    try disturb()
    views.insert(try view(dataset, by: caches.randomElement(using: &generator)!), at: 0)
  }

  private mutating func undo() throws {
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard views.count > 1, var dataset = views[0].dataset.undoing(to: views[1].dataset)
      else { return }
      let number = caches.indices.randomElement(using: &generator)!
      record("\(number) undoes revision \(views[0].dataset.revision)")
      let commit: Commit
      do {
        commit = try caches[number].undo(
          "feed", preparing: [.inUse, .upToDate, .none].randomElement(using: &generator)!)
      } catch let error as LayoutCacheError {
        guard case .cannotUndo(_, .notLogged, _) = error.code, isCompacted else { throw error }
        return record("the undo fails")
      }
      undoCount += 1
      isCompacted = false
      guard commit.revision == dataset.revision, commit.behind.isEmpty else {
        throw Difference(description: "\(commit)")
      }
      commit.updates.expectToLead(
        from: views[0].dataset.sections, to: dataset.sections,
        "\(history.joined(separator: "\n"))")
      try disturb()
      var expected = views[1]
      dataset.name = "feed"
      expected.dataset = dataset
      for cache in try caches + [open()] where !generator.oneIn(4) {
        let found = try view(dataset, by: cache)
        for (layout, elements) in expected.elements where found.elements[layout] != elements {
          let pair = zip(found.elements[layout] ?? [], elements).first { $0 != $1 }
          throw Difference(
            description: "\(layout): \(pair.map { "FOUND \($0) EXPECTED \($1)" } ?? "count")")
        }
        if found.items != expected.items { throw Difference(description: "the items differ") }
      }
      views.insert(expected, at: 0)
    }
  }
}
