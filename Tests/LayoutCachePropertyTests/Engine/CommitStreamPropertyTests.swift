import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: two caches on one file, as in two processes, and a dataset with three layouts of mixed
// kinds. Each commits random batches, undoes them, lays out, checkpoints, imports, changes the
// configuration of a layout, and is reopened. Each has a listener from the start; other listeners
// start later, after a revision that they know. Time plays no role: the test makes the caches
// poll, after each commit in half of the runs, and sometimes in the others.
//
// Invariants: every listener receives every revision after its own, once and in order. An event's
// context of a layout equals the one that the commit returned, except for counts of work and the
// offset of a visible rectangle, or is "everything". It is never "everything" instead of a context
// if the cache polls after each commit and had the layout in memory.

// The limit only ends a hang: it includes the time of tests that run concurrently.
@Suite(.timeLimit(.minutes(60))) struct CommitStreamPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func listenersReceiveTheContextsOfTheCommits(seed: UInt64) async throws {
    var run = try await FollowedRun(seed: seed)
    for _ in PropertyRun.each(seed, steps: 60) {
      do {
        try await run.step()
      } catch {
        Issue.record("\(error)\n\(run.history.joined(separator: "\n"))")
        return
      }
    }
    // Answering "everything" each time would satisfy the invariants.
    #expect(run.exactCount > 20)
  }
}

/// A dataset in a file, and its listeners.
private struct FollowedRun {
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  /// A listener, and the last revision that it received.
  struct Listener {
    var cache: Int
    var iterator: Commits.Iterator
    var revision: Int
    /// The dataset's revision when the listener started.
    var startRevision: Int
  }

  private var generator: SeededGenerator
  private let directory: TemporaryDirectory
  private let options: LayoutCacheOptions
  private let pollsAlways: Bool
  private var caches: [LayoutCache] = []
  private var dataset: OracleDataset
  /// The dataset before its last revision; `nil` if that cannot be undone.
  private var former: OracleDataset?
  private var batches: RandomBatch
  private let configurations: RandomConfiguration
  private var listeners: [Listener] = []
  /// The results of the commits, by revision; `nil` for imports, which return no commit.
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
    pollsAlways = generator.oneIn(2)
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
    // Sometimes very little memory for nodes.
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

  private mutating func record(_ action: String) { history = history.suffix(30) + [action] }

  private mutating func listen(at cache: Int, after revision: Int?) async throws {
    let commits = try await caches[cache].commits(of: "feed", layouts: names, after: revision)
    guard commits.revision == dataset.revision else {
      throw Difference(description: "the listener starts at \(commits.revision)")
    }
    listeners.append(
      Listener(
        cache: cache, iterator: commits.makeAsyncIterator(),
        revision: revision ?? commits.revision, startRevision: commits.revision))
  }
}

extension FollowedRun {
  mutating func step() async throws {
    let number = caches.indices.randomElement(using: &generator)!
    let cache = caches[number]
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<12:
      let name = names.randomElement(using: &generator)!
      record("\(number) lays out \(name)")
      try await cache.performPrepare(LayoutID(name, of: "feed"))
    case 12..<22:
      let name = names.randomElement(using: &generator)!
      record("\(number) reads \(name)")
      _ = try await cache.performRead(LayoutID(name, of: "feed")) { $0.contentSize }
    case 22..<27:
      record("\(number) checkpoints")
      try cache.checkpoint()
    case 27..<31:
      let layout = names.indices.randomElement(using: &generator)!
      let text = configurations.variant(
        of: dataset.layouts[layout].text, sectionKeys: dataset.sections.map(\.key),
        using: &generator)
      record("\(number) configures \(names[layout])")
      try cache.setLayout(
        LayoutID(dataset.layouts[layout].name, of: "feed"), to: ConfigurationText.decode(text))
      try dataset.set(layout, to: text)
    case 31..<35: try importItems(by: cache)
    case 35..<38:
      record("\(number) is reopened")
      listeners.removeAll { $0.cache == number }
      if generator.oneIn(2) { try cache.close() }
      caches[number] = try open()
      try await listen(at: number, after: nil)
    case 38..<44 where listeners.count < 8:
      let revision = max(1, dataset.revision - Int.random(in: 0..<12, using: &generator))
      record("a listener of \(number) starts after \(revision)")
      try await listen(at: number, after: revision)
    case 44..<56: try undo(by: cache, number)
    default: try commit(by: cache, number)
    }
    guard pollsAlways || generator.oneIn(4) else { return }
    for cache in caches { cache.following.look() }
    try await receiveAll()
  }

  private mutating func commit(by cache: LayoutCache, _ number: Int) throws {
    let batch = batches.next(for: dataset, using: &generator)
    let before = dataset
    try dataset.apply(batch)
    let layouts = [UpdatedLayouts.inUse, .inUse, .upToDate, .none].randomElement(using: &generator)!
    record("\(number) commits, \(layouts): \(batch)")
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
    guard let former, let back = dataset.undoing(to: former) else { return }
    let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
    record("\(number) undoes revision \(dataset.revision), \(layouts)")
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
    record("\(replaces ? "replaces" : "appends") \(sections)")
    let summary = try importItems(sections, replaces ? .replace : .append, by: cache)
    if replaces {
      try dataset.replace(sections: sections)
    } else {
      try dataset.append(sections)
    }
    guard summary.revision == dataset.revision else {
      throw Difference(description: "\(summary) is not of revision \(dataset.revision)")
    }
  }
}

// MARK: - Listening

extension FollowedRun {
  private mutating func receiveAll() async throws {
    for number in listeners.indices {
      while listeners[number].revision < dataset.revision {
        let event = try await listeners[number].iterator.next()
        guard case .commit(let commit) = event,
          commit.revision == listeners[number].revision + 1
        else {
          throw Difference(
            description: "listener \(number) at \(listeners[number].revision) received "
              + "\(String(describing: event))")
        }
        listeners[number].revision = commit.revision
        try compare(commit, number)
      }
    }
  }

  private mutating func compare(_ event: Commit, _ number: Int) throws {
    let layouts = (event.layouts.map(\.layout) + event.behind.map(\.layout)).sorted()
    guard layouts == names else { throw Difference(description: "an event has \(layouts)") }
    guard let commit = returned[event.revision] ?? nil else { return }
    guard event.incarnation == commit.incarnation, event.dataset == commit.dataset,
      event.updates == commit.updates
    else {
      throw Difference(description: "\(event) is not of \(commit)")
    }
    for change in commit.layouts {
      guard let received = event.layouts.first(where: { $0.layout == change.layout }) else {
        throw Difference(description: "\(change) is missing in \(event)")
      }
      if received.context.invalidateEverything {
        // A listener that was present could follow whatever the committing cache could follow.
        let isMissed = pollsAlways && event.revision > listeners[number].startRevision
        if isMissed, !change.context.invalidateEverything {
          throw Difference(description: "listener \(number): everything, and \(change)")
        }
        continue
      }
      var (left, right) = (received, change)
      left.context.work = LayoutWork()
      right.context.work = LayoutWork()
      right.context.contentOffsetAdjustment = .zero
      guard left == right else {
        throw Difference(description: "listener \(number) received \(left), not \(right)")
      }
      exactCount += 1
    }
  }
}
