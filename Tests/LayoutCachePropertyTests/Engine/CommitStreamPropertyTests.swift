import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: two caches on one file, as two processes have it, and a dataset with three layouts
// of mixed kinds. Either commits random batches, takes them back, lays out, checkpoints, imports,
// gives a layout another configuration, is opened again. Somebody listens at both from the start,
// and others come later with a revision that they know. Nobody waits for a clock: the caches are
// told to look. In half of the runs they look after each commit, in the others now and then.
//
// Invariants: every listener is told every revision after the one it knows, once, in order;
// what it is told of a layout equals what the commit has returned to whoever made it, but for
// counts of work and the offset of a visible rectangle, or is "everything"; it is exactly
// that where the cache looks after each commit and had the layout.

@Suite(.timeLimit(.minutes(10))) struct CommitStreamPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func listenersAreToldWhatTheCommitReturned(seed: UInt64) async throws {
    var run = try await FollowedRun(seed: seed)
    for _ in PropertyRun.each(seed, steps: 60) {
      do {
        try await run.step()
      } catch {
        Issue.record("\(error)\n\(run.history.joined(separator: "\n"))")
        return
      }
    }
    // That it can fail to say anything but "everything" is no pass.
    #expect(run.exactCount > 20)
  }
}

/// A dataset in a file, and those who listen to it.
private struct FollowedRun {
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  /// Somebody who listens, and the last revision told.
  struct Listener {
    var cache: Int
    var iterator: Commits.Iterator
    var revision: Int
    /// The dataset's revision when it came.
    var present: Int
  }

  private var generator: SeededGenerator
  private let directory: TemporaryDirectory
  private let options: LayoutCacheOptions
  private let looksAlways: Bool
  private var caches: [LayoutCache] = []
  private var dataset: OracleDataset
  /// The dataset before its last revision, where that can be taken back.
  private var former: OracleDataset?
  private var batches: RandomBatch
  private let configurations: RandomConfiguration
  private var listeners: [Listener] = []
  /// What each commit has returned, by revision; `nil` for those that return nothing.
  private var returned: [Int: Commit?] = [:]
  private(set) var history: [String] = []
  private(set) var exactCount = 0
  private let names = ["desk", "phone", "wall"]

  init(seed: UInt64) async throws {
    generator = SeededGenerator(seed: seed)
    configurations = RandomConfiguration(kinds: TestKinds.mixes.randomElement(using: &generator)!)
    directory = try TemporaryDirectory()
    var options = LayoutCacheOptions.randomShapes(using: &generator)
    options.lookInterval = nil
    self.options = options
    looksAlways = generator.oneIn(2)
    var source = RandomFeed(sectionCountMax: 4, itemCountMax: 40)
    let sections = source.sections(using: &generator)
    let keys = sections.map(\.key)
    var texts: [(name: String, text: String)] = []
    for name in names {
      texts.append((name, configurations.text(sectionKeys: keys, using: &generator)))
    }
    dataset = try OracleDataset(name: "feed", sections: sections, layouts: texts)
    batches = RandomBatch(source: source, itemCountMax: 100)
    batches.sectionCountMax = 6
    batches.operationCountMax = 4
    for _ in 0..<2 { caches.append(try open()) }
    _ = try importItems(sections, .create, by: caches[0])
    for layout in dataset.layouts {
      try caches[0].setLayout(
        LayoutID(layout.name, of: "feed"), to: ConfigurationText.decode(layout.text))
    }
    for cache in caches.indices { try await listen(at: cache, after: nil) }
  }

  private mutating func open() throws -> LayoutCache {
    var options = options
    // Hardly any memory for nodes now and then.
    if generator.oneIn(3) { options.nodeCacheBytes = 1 << 10 }
    return try LayoutCache(
      path: directory.path(of: "feed.sqlite"), options: options, sectionLayouts: TestKinds.all)
  }

  private func importItems(
    _ sections: [OracleSection], _ mode: ImportMode, by cache: LayoutCache
  ) throws -> ImportSummary {
    try cache.importItems(into: "feed", mode: mode) { importer in
      for section in sections { try importer.addSection(section.key) }
      for section in sections {
        for item in section.items { try importer.add(Item(item), section: section.key) }
      }
    }
  }

  private mutating func note(_ action: String) { history = history.suffix(30) + [action] }

  private mutating func listen(at cache: Int, after revision: Int?) async throws {
    let commits = try await caches[cache].commits(of: "feed", layouts: names, after: revision)
    guard commits.revision == dataset.revision else {
      throw Difference(description: "it listens from \(commits.revision) on")
    }
    listeners.append(
      Listener(
        cache: cache, iterator: commits.makeAsyncIterator(),
        revision: revision ?? commits.revision, present: commits.revision))
  }
}

extension FollowedRun {
  mutating func step() async throws {
    let number = caches.indices.randomElement(using: &generator)!
    let cache = caches[number]
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<12:
      let name = names.randomElement(using: &generator)!
      note("\(number) lays out \(name)")
      try await cache.performPrepare(LayoutID(name, of: "feed"))
    case 12..<22:
      let name = names.randomElement(using: &generator)!
      note("\(number) reads \(name)")
      _ = try await cache.performRead(LayoutID(name, of: "feed")) { $0.contentSize }
    case 22..<27:
      note("\(number) checkpoints")
      try cache.checkpoint()
    case 27..<31:
      let layout = names.indices.randomElement(using: &generator)!
      let text = configurations.variant(
        of: dataset.layouts[layout].text, sectionKeys: dataset.sections.map(\.key),
        using: &generator)
      note("\(number) gives \(names[layout]) another configuration")
      try cache.setLayout(
        LayoutID(dataset.layouts[layout].name, of: "feed"), to: ConfigurationText.decode(text))
      try dataset.set(layout, to: text)
    case 31..<35: try importItems(by: cache)
    case 35..<38:
      note("\(number) is opened anew")
      listeners.removeAll { $0.cache == number }
      if generator.oneIn(2) { try cache.close() }
      caches[number] = try open()
      try await listen(at: number, after: nil)
    case 38..<44 where listeners.count < 8:
      let revision = max(1, dataset.revision - Int.random(in: 0..<12, using: &generator))
      note("somebody listens at \(number) who knows \(revision)")
      try await listen(at: number, after: revision)
    case 44..<56: try undo(by: cache, number)
    default: try commit(by: cache, number)
    }
    guard looksAlways || generator.oneIn(4) else { return }
    for cache in caches { cache.following.look() }
    try await hearAll()
  }

  private mutating func commit(by cache: LayoutCache, _ number: Int) throws {
    let batch = batches.next(for: dataset, using: &generator)
    let before = dataset
    try dataset.apply(batch)
    let layouts = [UpdatedLayouts.inUse, .inUse, .upToDate, .none].randomElement(using: &generator)!
    note("\(number) commits, \(layouts): \(batch)")
    let commit = try cache.update(
      "feed", with: batch.map { try BatchOperation($0, in: before) }, preparing: layouts)
    guard commit.revision == dataset.revision else {
      throw Difference(description: "\(commit) is not of revision \(dataset.revision)")
    }
    guard commit.revision > before.revision else { return }
    returned[commit.revision] = .some(commit)
    former = before
  }

  private mutating func undo(by cache: LayoutCache, _ number: Int) throws {
    guard let former, let back = dataset.takingBack(to: former) else { return }
    let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
    note("\(number) takes revision \(dataset.revision) back, \(layouts)")
    let commit = try cache.undo("feed", preparing: layouts)
    (self.former, dataset) = (dataset, back)
    guard commit.revision == dataset.revision else {
      throw Difference(description: "\(commit) is not of revision \(dataset.revision)")
    }
    returned[commit.revision] = .some(commit)
  }

  private mutating func importItems(by cache: LayoutCache) throws {
    former = nil
    let sections = batches.imported(to: dataset, using: &generator)
    let replaces = generator.oneIn(3)
    note("\(replaces ? "replaces" : "appends") \(sections)")
    let count = sections.reduce(0) { $0 + $1.items.count }
    let isBuilt = count >= dataset.itemCount / 8
    let summary = try importItems(sections, replaces ? .replace : .append, by: cache)
    if replaces {
      try dataset.replace(sections: sections)
    } else {
      try dataset.append(sections, isBuilt: isBuilt)
    }
    guard summary.revision == dataset.revision else {
      throw Difference(description: "\(summary) is not of revision \(dataset.revision)")
    }
  }
}

// MARK: - Listening

extension FollowedRun {
  private mutating func hearAll() async throws {
    for number in listeners.indices {
      while listeners[number].revision < dataset.revision {
        let event = try await listeners[number].iterator.next()
        guard case .commit(let told) = event, told.revision == listeners[number].revision + 1
        else {
          throw Difference(
            description: "listener \(number) at \(listeners[number].revision) is told "
              + "\(String(describing: event))")
        }
        listeners[number].revision = told.revision
        try compare(told, number)
      }
    }
  }

  private mutating func compare(_ told: Commit, _ number: Int) throws {
    let said = (told.layouts.map(\.layout) + told.behind.map(\.layout)).sorted()
    guard said == names else { throw Difference(description: "\(said) is told of") }
    guard let commit = returned[told.revision] ?? nil else { return }
    guard told.incarnation == commit.incarnation, told.dataset == commit.dataset,
      told.updates == commit.updates
    else {
      throw Difference(description: "\(told) is not of \(commit)")
    }
    for change in commit.layouts {
      guard let own = told.layouts.first(where: { $0.layout == change.layout }) else {
        throw Difference(description: "\(change) is not told: \(told)")
      }
      if own.context.invalidateEverything {
        // What the committing cache could follow a listener could that was there.
        let isMissed = looksAlways && told.revision > listeners[number].present
        if isMissed, !change.context.invalidateEverything {
          throw Difference(description: "listener \(number): everything, and \(change)")
        }
        continue
      }
      var (left, right) = (own, change)
      left.context.work = LayoutWork()
      right.context.work = LayoutWork()
      right.context.contentOffsetAdjustment = .zero
      guard left == right else {
        throw Difference(description: "listener \(number) is told \(left), not \(right)")
      }
      exactCount += 1
    }
  }
}
