import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

/// A database, the caches on its file, and a model of its contents.
///
/// The actions that change it and the observers that compare it with its model are in files by
/// subject, and in the two tables of `World+Tables.swift`.
final class World: CustomStringConvertible {
  /// A step that the table lists, with the frequency at which it is drawn.
  struct Entry: Sendable {
    var name: String
    var weight: Int
    var run: @Sendable (World) async throws -> Void

    init(_ name: String, _ weight: Int, _ run: @escaping @Sendable (World) async throws -> Void) {
      (self.name, self.weight, self.run) = (name, weight, run)
    }
  }

  /// A layout of a dataset, by their numbers in the model.
  struct Place {
    var dataset: Int
    var layout: Int
  }

  /// An answer that differs from the model's.
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  let seed: UInt64
  var generator: SeededGenerator
  let directory: TemporaryDirectory
  let disk: FailingDisk
  let log = RecordingLog()
  let clock: TestClock
  let random: RandomSource
  /// Milliseconds of the clock.
  private(set) var now: Int64 = 1_700_000_000_000
  /// The path of the database.
  var path: String
  let settings: WorldSettings
  var configurations: RandomConfiguration { settings.configurations }
  var caches: [LayoutCache] = []
  var datasets: [WorldDataset] = []
  var listeners: [WorldListener] = []
  var walks: [WorldWalk] = []
  var views: [ViewModel.View] = []
  /// As last observed in a layout.
  var viewStates: [String: WorldViewState] = [:]
  /// The last request for a variant, if that was temporary.
  var lastTemporary: (cache: Int, cross: Double, main: Double?)?
  /// The answers, by incarnation and revision.
  var answers: [String: [OracleElement]] = [:]
  /// Earlier configurations of layouts: some are set again.
  var earlierTexts: [String] = []
  /// How often something happened that must happen sometimes, by name.
  var counts: [String: Int] = [:]
  /// A process that shares the file, once it is needed.
  var process: OtherProcess?
  private var history: [String] = []
  private var nameCount = 0

  init(seed: UInt64) async throws {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    settings = WorldSettings(using: &generator)
    directory = try TemporaryDirectory()
    path = directory.path(of: "feed.sqlite")
    disk = FailingDisk(below: directory.path)
    clock = TestClock(milliseconds: now)
    random = .seeded(seed)
    for number in 0..<2 { caches.append(try open(number)) }
    try create("feed", layouts: ["phone", "desk", "wall"], settings.rules)
    try create("other", layouts: ["phone"], settings.rules)
  }

  private func create(_ name: String, layouts: [String], _ rules: RebalanceRules?) throws {
    var source = RandomFeed(
      sectionCountMax: 4, itemCountMax: [4, 15, 40].randomElement(using: &generator)!)
    let sections = source.sections(using: &generator)
    let data = try WorldDataset.randomData(for: sections, using: &generator)
    _ = try caches[0].importItems(sections, data, into: name, .create)
    var texts: [(name: String, text: String)] = []
    while texts.count < layouts.count {
      let layout = layouts[texts.count]
      let text = text(sectionKeys: sections.map(\.key), isUneven: rules != nil && layout != "wall")
      if try set(LayoutID(layout, of: name), to: text, by: 0) { texts.append((layout, text)) }
    }
    var model = try OracleDataset(name: name, sections: sections, layouts: texts)
    if let rules { model.setRules(instalment: rules.instalment, placedAgainMax: rules.batchMax) }
    var batches = RandomBatch(source: source, itemCountMax: 80)
    (batches.sectionCountMax, batches.operationCountMax) = (5, 4)
    datasets.append(WorldDataset(model, data, batches))
    for (layout, text) in texts.enumerated() {
      _ = try datasets[datasets.count - 1].notes[layout].definitions.add(text.text, at: now)
    }
  }

  /// - Parameter isUneven: Whether the layout has waterfalls with a low maximum skew.
  private func text(sectionKeys: [String], isUneven: Bool) -> String {
    guard isUneven else { return configurations.text(sectionKeys: sectionKeys, using: &generator) }
    while true {
      let text = RandomConfiguration(kinds: .waterfall)
        .text(sectionKeys: sectionKeys, using: &generator)
      if text.contains("maximumSkew") { return text }
    }
  }

  /// Opens the file again; the second cache sometimes has very little memory for nodes.
  func open(_ number: Int) throws -> LayoutCache {
    var options = settings.options
    if number == 1, generator.oneIn(2) { options.nodeCacheBytes = 1 << 10 }
    return try open(path, options)
  }

  func open(_ path: String, _ options: LayoutCacheOptions? = nil) throws -> LayoutCache {
    try LayoutCache(
      path: path, options: options ?? settings.options, sectionLayouts: TestKinds.all,
      logger: log.logger, clock: clock.clock, random: random, files: disk.files)
  }

  // MARK: - Steps

  /// Performs an action, and asks some observers.
  func step(_ number: Int) async throws {
    generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    var actions = seed % 4 == 0 && generator.oneIn(3) ? Self.diskActions : Self.actions
    if seed % 6 == 0, generator.oneIn(3) { actions = Self.processActions }
    let action = actions.drawn(using: &generator)
    history.append("step \(number): \(action.name)")
    try await action.run(self)
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let observer = Self.observers.drawn(using: &generator)
      record("? \(observer.name)")
      try await observer.run(self)
    }
  }

  /// Adds a line to the text that a failure prints.
  func record(_ line: String) { history.append("  \(line)") }

  func count(_ name: String) { counts[name, default: 0] += 1 }

  /// The steps, and the configurations.
  var description: String {
    let texts = datasets.flatMap { dataset in
      dataset.model.layouts.map { "\(dataset.model.name)/\($0.name): \($0.text)" }
    }
    return (history + texts).joined(separator: "\n")
  }

  /// Advances the clock by up to three hours.
  func advance() { advance(by: Int64.random(in: 1...10_800_000, using: &generator)) }

  func advance(by interval: Int64) {
    record("\(interval) milliseconds pass")
    clock.advance(by: interval)
    now += interval
  }

  // MARK: - Random choices

  func anyDataset() -> Int { datasets.count > 1 && generator.oneIn(4) ? 1 : 0 }

  func anyPlace() -> Place { anyPlace(of: anyDataset()) }

  func anyPlace(of dataset: Int) -> Place {
    Place(
      dataset: dataset,
      layout: datasets[dataset].model.layouts.indices.randomElement(using: &generator)!)
  }

  /// A layout that is no variant.
  func anyOrdinary() -> Place {
    let dataset = anyDataset()
    let layouts = datasets[dataset].ordinaryLayouts
    return Place(dataset: dataset, layout: layouts.randomElement(using: &generator)!)
  }

  /// A direction of answers; `nil` for that of the layout.
  func anyDirection() -> LayoutConfiguration.LayoutDirection? {
    [nil, .leftToRight, .rightToLeft].randomElement(using: &generator)!
  }

  func anyCache() -> Int { caches.indices.randomElement(using: &generator)! }

  func anyLayouts() -> UpdatedLayouts {
    [.inUse, .inUse, .upToDate, .none].randomElement(using: &generator)!
  }

  func freshName() -> String {
    nameCount += 1
    return "name \(nameCount)"
  }

  func id(_ place: Place) -> LayoutID {
    let model = datasets[place.dataset].model
    return LayoutID(model.layouts[place.layout].name, of: model.name)
  }

  // MARK: - Reading

  /// Reads a layout with a cache in any direction, with the model's layout of the same revision.
  func read<R>(
    _ place: Place, by cache: Int? = nil, _ body: (LayoutSnapshot, Oracle) throws -> R
  ) throws -> R {
    let (number, direction) = (cache ?? anyCache(), anyDirection())
    try datasets[place.dataset].prepare(place.layout)
    let model = datasets[place.dataset].model
    record("\(number) reads \(id(place)) at \(model.revision) \(direction?.rawValue ?? "")")
    return try caches[number].read(id(place)) { snapshot in
      #expect(snapshot.revision == model.revision)
      #expect(snapshot.layout == id(place))
      return try body(
        snapshot.reading(direction),
        model.layouts[place.layout].feed.oracle.reading(direction))
    }
  }
}

/// The choices that all caches on a world's file share.
struct WorldSettings {
  let configurations: RandomConfiguration
  let options: LayoutCacheOptions
  let rules: RebalanceRules?

  init(using generator: inout SeededGenerator) {
    var configurations = RandomConfiguration(
      kinds: TestKinds.mixes.randomElement(using: &generator)!, allowsEffects: generator.oneIn(3))
    configurations.readsData = true
    self.configurations = configurations
    var options = LayoutCacheOptions.randomShapes(using: &generator)
    // Commits of other caches arrive when an observer polls for them.
    options.lookInterval = nil
    if generator.oneIn(2) { options.durability = .power }
    if generator.oneIn(4) { options.importBytes = 1 << 10 }
    if generator.oneIn(4) {
      options.treeShapes.committedMax = .random(in: 1...30, using: &generator)
    }
    var rules: RebalanceRules?
    if generator.oneIn(2) {
      // With a small instalment, a rebalance continues for many commits.
      let small = RebalanceRules(
        instalment: .random(in: 1...3, using: &generator),
        batchMax: .random(in: 1...15, using: &generator))
      (rules, options.treeShapes.rebalancing) = (small, small)
    }
    (self.options, self.rules) = (options, rules)
  }
}

extension [World.Entry] {
  /// Draws an entry by the weights.
  func drawn(using generator: inout SeededGenerator) -> World.Entry {
    var rest = Int.random(in: 0..<reduce(0) { $0 + $1.weight }, using: &generator)
    for entry in self {
      rest -= entry.weight
      if rest < 0 { return entry }
    }
    preconditionFailure("the weights have a sum")
  }
}
