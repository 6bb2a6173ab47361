import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

/// Two datasets of three layouts each in one file, an oracle of both, and three caches on the file
/// with different schedules, as in different processes.
struct SeveralLayoutsRun {
  /// The behaviour of a cache.
  enum Schedule: Int, CaseIterable {
    /// Updates its layouts with every commit, and queries most of them.
    case eager
    /// Lets layouts lag, and rarely queries them.
    case lazy
    /// Is often closed or abandoned; sometimes has very little memory for nodes.
    case restless
  }

  var generator: SeededGenerator
  private let directory: TemporaryDirectory
  private let options: LayoutCacheOptions
  private(set) var caches: [LayoutCache] = []
  var datasets: [OracleDataset] = [] {
    didSet {
      for (index, old) in oldValue.enumerated() where index < datasets.count {
        // The state before the last batch, until the layouts change in another way.
        let names = datasets[index].layouts.map(\.name)
        if datasets[index].revision == old.revision + 1 { formers[index] = old }
        if names != old.layouts.map(\.name) { formers[index] = nil }
      }
    }
  }
  /// The datasets before their last revisions, if these can be undone.
  var formers: [Int: OracleDataset] = [:]
  var batches: [RandomBatch] = []
  private let configurations: RandomConfiguration
  /// Earlier configurations of layouts, by dataset: some are set again.
  private var earlierTexts: [[String]] = [[], []]
  /// The latest actions, for a failure's message.
  private(set) var history: [String] = []
  private var nameCount = 0

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    configurations = RandomConfiguration(
      kinds: TestKinds.mixes.randomElement(using: &generator)!)
    directory = try TemporaryDirectory()
    var options = LayoutCacheOptions.randomShapes(using: &generator)
    let hasSmallRules = generator.oneIn(2)
    let instalment = Int.random(in: 1...3, using: &generator)
    let placedAgainMax = Int.random(in: 1...15, using: &generator)
    if hasSmallRules {
      options.treeShapes.rebalancing = RebalanceRules(
        instalment: instalment, batchMax: placedAgainMax)
    }
    self.options = options
    for schedule in Schedule.allCases { caches.append(try open(schedule)) }
    for name in ["feed", "other"] {
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: generator.oneIn(2) ? 60 : 25)
      var sections = source.sections(using: &generator)
      if hasSmallRules {
        sections.removeAll { $0.items.count < 15 }
        while sections.count < 2 {
          let section = source.section(using: &generator)
          if section.items.count >= 15 { sections.append(section) }
        }
      }
      let keys = sections.map(\.key)
      let texts = ["phone", "desk", "wall"].map { layout in
        let isUneven = hasSmallRules && layout != "wall"
        return (name: layout, text: text(sectionKeys: keys, isUneven: isUneven))
      }
      var dataset = try OracleDataset(name: name, sections: sections, layouts: texts)
      if hasSmallRules {
        dataset.setRules(instalment: instalment, placedAgainMax: placedAgainMax)
      }
      try importItems(sections, into: name, .create, by: caches[0])
      for layout in dataset.layouts {
        try caches[0].setLayout(
          LayoutID(layout.name, of: name), to: ConfigurationText.decode(layout.text))
      }
      datasets.append(dataset)
      var batch = RandomBatch(source: source, itemCountMax: 120)
      batch.sectionCountMax = 6
      batch.operationCountMax = 5
      batches.append(batch)
    }
  }

  /// - Parameter isUneven: Whether the layout has waterfalls with a low maximum skew.
  private mutating func text(sectionKeys: [String], isUneven: Bool) -> String {
    guard isUneven else { return configurations.text(sectionKeys: sectionKeys, using: &generator) }
    while true {
      let text = RandomConfiguration(kinds: .waterfall)
        .text(sectionKeys: sectionKeys, using: &generator)
      if text.contains("maximumSkew") { return text }
    }
  }

  private mutating func open(_ schedule: Schedule) throws -> LayoutCache {
    var options = options
    if schedule == .restless, generator.oneIn(2) { options.nodeCacheBytes = 1 << 10 }
    return try LayoutCache(
      path: directory.path(of: "feed.sqlite"), options: options, sectionLayouts: TestKinds.all)
  }

  private func importItems(
    _ sections: [OracleSection], into name: String, _ mode: ImportMode, by cache: LayoutCache
  ) throws {
    _ = try cache.importItems(into: name, mode: mode) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items { try importer.add(Item(item), section: section.key) }
      }
    }
  }

  func id(_ dataset: Int, _ layout: Int) -> LayoutID {
    LayoutID(datasets[dataset].layouts[layout].name, of: datasets[dataset].name)
  }

  mutating func record(_ action: String) { history = history.suffix(30) + [action] }

  /// Any layout of any dataset.
  mutating func anyLayout() -> (dataset: Int, layout: Int) {
    let dataset = datasets.indices.randomElement(using: &generator)!
    return (dataset, datasets[dataset].layouts.indices.randomElement(using: &generator)!)
  }
}

// MARK: - Caches and layouts

extension SeveralLayoutsRun {
  /// Closes a cache, or abandons it as if its process were killed, and opens another.
  mutating func reopen(_ schedule: Schedule) throws {
    let closes = generator.oneIn(2)
    record("\(schedule) is \(closes ? "closed" : "abandoned")")
    if closes { try caches[schedule.rawValue].close() }
    caches[schedule.rawValue] = try open(schedule)
  }

  /// Changes a layout's configuration: to a similar one, any other, or an earlier one of the
  /// dataset's layouts.
  mutating func configure(by cache: LayoutCache) throws {
    let (dataset, layout) = anyLayout()
    let text = anotherText(dataset, layout)
    record("configures \(id(dataset, layout)): \(text)")
    try cache.setLayout(id(dataset, layout), to: ConfigurationText.decode(text))
    try datasets[dataset].set(layout, to: text)
  }

  private mutating func anotherText(_ dataset: Int, _ layout: Int) -> String {
    let present = datasets[dataset].layouts[layout].text
    let keys = datasets[dataset].sections.map(\.key)
    if generator.oneIn(3), let text = earlierTexts[dataset].randomElement(using: &generator) {
      return text
    }
    earlierTexts[dataset].append(present)
    return generator.oneIn(4)
      ? configurations.text(sectionKeys: keys, using: &generator)
      : configurations.variant(of: present, sectionKeys: keys, using: &generator)
  }

  mutating func recreateLayout(by cache: LayoutCache) throws {
    let (dataset, layout) = anyLayout()
    let text =
      generator.oneIn(2)
      ? datasets[dataset].layouts[layout].text : anotherText(dataset, layout)
    record("removes and creates \(id(dataset, layout)): \(text)")
    try cache.removeLayout(id(dataset, layout))
    try cache.setLayout(id(dataset, layout), to: ConfigurationText.decode(text))
    try datasets[dataset].makeAgain(layout, text: text)
    formers[dataset] = nil
  }

  /// Renames a dataset or a layout; often another one gets the old name.
  mutating func rename(by cache: LayoutCache) throws {
    nameCount += 1
    let new = "name \(nameCount)"
    let (dataset, layout) = anyLayout()
    if generator.oneIn(2) {
      let old = datasets[dataset].name
      record("renames \(old) to \(new)")
      try cache.renameDataset(old, to: new)
      datasets[dataset].name = new
      guard generator.oneIn(2) else { return }
      let other = datasets[1 - dataset].name
      record("renames \(other) to \(old)")
      try cache.renameDataset(other, to: old)
      datasets[1 - dataset].name = old
    } else {
      let old = id(dataset, layout)
      record("renames \(old) to \(new)")
      try cache.renameLayout(old, to: new)
      datasets[dataset].layouts[layout].name = new
      let next = (layout + 1) % datasets[dataset].layouts.count
      guard generator.oneIn(2) else { return }
      record("renames \(id(dataset, next)) to \(old)")
      try cache.renameLayout(id(dataset, next), to: old.layout)
      datasets[dataset].layouts[next].name = old.layout
    }
  }

  mutating func importItems(by cache: LayoutCache) throws {
    let dataset = datasets.indices.randomElement(using: &generator)!
    let sections = batches[dataset].imported(to: datasets[dataset], using: &generator)
    let name = datasets[dataset].name
    let count = sections.reduce(0) { $0 + $1.items.count }
    if generator.oneIn(3) {
      record("replaces \(name): \(sections)")
      try importItems(sections, into: name, .replace, by: cache)
      try datasets[dataset].replace(sections: sections)
      return expectNoUndo(dataset)
    }
    let isBuilt = count >= datasets[dataset].itemCount / 8
    record("appends to \(name)\(isBuilt ? ", building" : ""): \(sections)")
    try importItems(sections, into: name, .append, by: cache)
    try datasets[dataset].append(sections)
    if isBuilt { expectNoUndo(dataset) }
  }

  /// An import that builds the trees again cannot be undone.
  private mutating func expectNoUndo(_ dataset: Int) {
    formers[dataset] = nil
    for cache in caches {
      #expect {
        try cache.undo(datasets[dataset].name)
      } throws: { error in
        if case .cannotUndo(_, .imported, _)? = (error as? LayoutCacheError)?.code {
          true
        } else {
          false
        }
      }
    }
  }

  /// Evens out all overdue sections, in separate commits.
  mutating func finishRebalancing(_ dataset: Int) throws {
    record("finishes \(datasets[dataset].name)")
    let cache = caches[Schedule.eager.rawValue]
    for layout in datasets[dataset].layouts.indices { try ask(.eager, dataset, layout) }
    while true {
      let layouts = datasets[dataset].layouts
      let overdue = try layouts.indices.filter {
        try layouts[$0].feed.firstOverdueSection() != nil
      }
      if overdue.isEmpty { break }
      try datasets[dataset].apply(
        overdue.map { OracleDataset.Operation(.continueRebalance, layout: $0) })
    }
    let commit = try cache.finishRebalancing(datasets[dataset].name)
    #expect(commit.revision == datasets[dataset].revision)
  }
}

// MARK: - Asking

extension SeveralLayoutsRun {
  /// Compares a cache's answer with the oracle's.
  mutating func ask(
    _ schedule: Schedule, _ dataset: Int, _ layout: Int, freshness: Freshness = .current
  ) throws {
    let (cache, id) = (caches[schedule.rawValue], id(dataset, layout))
    let (found, revision, isOutdated) = try cache.read(id, freshness: freshness) {
      (try OracleElement.all(of: $0), $0.revision, $0.isOutdated)
    }
    if !isOutdated || freshness == .current { try datasets[dataset].prepare(layout) }
    let expected = OracleElement.all(of: datasets[dataset].layouts[layout].feed.oracle)
    if found != expected {
      let difference =
        zip(found, expected).first { $0 != $1 }
        .map { "FOUND \($0) EXPECTED \($1)" }
        ?? "FOUND \(found.count) EXPECTED \(expected.count) elements"
      throw Difference(description: "\(schedule) asks for \(id) (\(freshness)): \(difference)")
    }
    guard revision == datasets[dataset].revision, !isOutdated || freshness == .last else {
      throw Difference(description: "\(schedule), \(id): revision \(revision), \(isOutdated)")
    }
    guard let state = cache.openDatasets.known(id.dataset).state else { return }
    try cache.store.read { try state.checkInvariants($0) }
  }

  /// An answer that differs from the oracle's.
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }
}
