import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// Strategy: two caches on one file, and threads that call both: writers, readers, one that
// prepares, one that changes a layout's configuration, one that removes and creates another
// layout, and listeners. Tasks are cancelled at random. One of the caches is closed in the middle.
// The work of each thread is a number of calls, never a time.
//
// Invariants: no reader sees an earlier revision or configuration than before, nor one of before
// the call, unless the layout is being laid out; no answer is of a layout whose removal has returned; listeners miss no revision; what
// is acknowledged is in the file and what is cancelled is not; verify is clean.

// The limit only ends a hang: it includes the time of tests that run concurrently.
@Suite(.timeLimit(.minutes(30))) struct WorldThreadsTests {
  static let seeds = PropertyRun.seeds(PropertyRun.isThorough ? 30 : 3)

  @Test(.property, arguments: seeds)
  func threadsSeeOneHistory(seed: UInt64) async throws {
    for _ in PropertyRun.eachSeed(in: [seed]) {
      let run = try SharedWorld(seed: seed)
      let listeners = try await run.listen()
      try await run.callFromThreads()
      let revisions = try await run.received(by: listeners)
      try run.compare(revisions)
      #expect(run.readCount > 5)
    }
  }

  /// Without writers, whose commits replace what a reader keeps in memory.
  @Test(.property, arguments: seeds)
  func aRemovedLayoutNeverAnswers(seed: UInt64) throws {
    for _ in PropertyRun.eachSeed(in: [seed]) {
      try SharedWorld(seed: seed).recreateBesideReaders()
    }
  }
}

/// Two caches on one file, and what their threads have agreed on.
private final class SharedWorld: Sendable {
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  /// The state that all threads agree on.
  private struct Known {
    /// The newest acknowledged revision.
    var revision = 1
    /// The acknowledged items, and those of cancelled calls.
    var keys: Set<String> = []
    var cancelledKeys: Set<String> = []
    /// The width of the steady layout's container when its configuration was last set.
    var width = 100
    /// How often the other layout's removal has begun and returned, and its creation returned.
    var removals = (begun: 0, returned: 0)
    var creationCount = 0
    var readCount = 0
  }

  private static let commitCount = 25
  private static let steady = LayoutID("steady", of: "feed")
  private static let removed = LayoutID("removed", of: "feed")
  /// A width that no read stores, and a layout with the same elements.
  private static let width = LayoutID("any@104", of: "feed")
  private static let exact = LayoutID("exact", of: "feed")
  private let seed: UInt64
  private let directory: TemporaryDirectory
  private let options: LayoutCacheOptions
  private let caches: [LayoutCache]
  private let known = Mutex(Known())
  private let writersAtWork = Atomic(3)
  private let isClosing = Atomic(false)

  var readCount: Int { known.withLock { $0.readCount } }

  init(seed: UInt64) throws {
    self.seed = seed
    directory = try TemporaryDirectory()
    var generator = SeededGenerator(seed: seed)
    var options = LayoutCacheOptions.randomShapes(using: &generator)
    options.lookInterval = .milliseconds(5)
    options.busyTimeout = 60
    self.options = options
    let path = directory.path(of: "feed.sqlite")
    caches =
      [try LayoutCache(path: path, options: options)]
      + [try LayoutCache(path: path, options: options)]
    _ = try caches[0].importItems(into: "feed", mode: .create) { importer in
      for number in 0..<40 {
        try importer.add(Item(key: "k\(number)", width: 3, height: Double(1 + number % 7)))
      }
    }
    try set(Self.steady, width: 100, by: caches[0])
    try set(Self.removed, width: 100, by: caches[0])
    for (name, container) in [("any", #""widths":{}"#), ("exact", #""width":104"#)] {
      try caches[0].setLayout(
        LayoutID(name, of: "feed"),
        to: ConfigurationText.decode(
          #"{"container":{\#(container)},"section":{"columns":3,"assignment":"exact"}}"#))
    }
  }

  /// A configuration whose width tells when it was set.
  private func set(_ layout: LayoutID, width: Int, by cache: LayoutCache) throws {
    try cache.setLayout(
      layout,
      to: ConfigurationText.decode(
        #"{"container":{"width":\#(width)},"section":{"columns":3,"maximumSkew":9}}"#))
  }

  // MARK: - Threads

  /// Runs all threads, and tasks that are cancelled; closes the second cache before they end.
  func callFromThreads() async throws {
    let bodies: [@Sendable (inout SeededGenerator) throws -> Void] = [
      { try self.write(by: 0, using: &$0) }, { try self.write(by: 1, using: &$0) },
      { try self.read(by: 0, using: &$0) }, { try self.read(by: 1, using: &$0) },
      { try self.configure(using: &$0) }, { try self.recreate(12, pause: 9000, using: &$0) },
      { try self.prepare(using: &$0) },
      { try self.readTemporary(by: 0, using: &$0) }, { try self.readTemporary(by: 1, using: &$0) },
    ]
    let threads = Threads.start(bodies.count) { number in
      var generator = SeededGenerator(seed: self.seed &* 31 &+ UInt64(number))
      try bodies[number](&generator)
    }
    try await cancelTasks()
    writersAtWork.subtract(1, ordering: .sequentiallyConsistent)
    while writersAtWork.load(ordering: .sequentiallyConsistent) > 0 {
      try await Task.sleep(for: .milliseconds(2))
      if known.withLock({ $0.keys.count }) > Self.commitCount, seed % 2 == 0, !hasClosed {
        isClosing.store(true, ordering: .sequentiallyConsistent)
        try caches[1].close()
      }
    }
    try threads.join()
  }

  /// Reads a layout by several threads, from the moment when it is created until another thread
  /// has removed it.
  func recreateBesideReaders() throws {
    let isOver = Atomic(false)
    try Threads.start(4) { number in
      var generator = SeededGenerator(seed: self.seed &* 41 &+ UInt64(number))
      if number == 0 {
        defer { isOver.store(true, ordering: .sequentiallyConsistent) }
        try self.recreate(150, pause: 200, using: &generator)
      }
      while !isOver.load(ordering: .sequentiallyConsistent) { _ = try self.readRemoved(by: 0) }
    }.join()
  }

  private var hasClosed: Bool { isClosing.load(ordering: .sequentiallyConsistent) }

  /// Runs a call; one to a cache that has been closed fails with that reason.
  ///
  /// - Returns: `nil` if the cache is closed.
  private func calling<R>(_ number: Int, _ body: (LayoutCache) throws -> R) throws -> R? {
    do {
      return try body(caches[number])
    } catch let error as LayoutCacheError {
      if case .closed = error.code, number == 1, hasClosed { return nil }
      // Another configuration each time that a layout is ready, until the attempts end.
      if case .concurrentModification = error.code { return try calling(number, body) }
      throw error
    }
  }

  private func write(by number: Int, using generator: inout SeededGenerator) throws {
    defer { writersAtWork.subtract(1, ordering: .sequentiallyConsistent) }
    var own: [String] = []
    for step in 0..<Self.commitCount {
      let key = "\(number)-\(step)"
      var batch: [BatchOperation] = [
        .insert(
          [try Item(key: key, width: 3, height: Double.random(in: 1...9, using: &generator))],
          at: .index(.random(in: 0...5, using: &generator), section: Importer.defaultSection)),
        .resize(
          key: "k\(Int.random(in: 0..<40, using: &generator))",
          size: Size(width: 3, height: .points(Double(step + 1)))),
      ]
      let gone = generator.oneIn(3) ? own.randomElement(using: &generator) : nil
      if let gone { batch.append(.delete(keys: [gone])) }
      let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
      guard
        let commit = try calling(number, { try $0.update("feed", with: batch, preparing: layouts) })
      else { return }
      own.append(key)
      own.removeAll { $0 == gone }
      known.withLock { known in
        known.revision = max(known.revision, commit.revision)
        known.keys.insert(key)
        if let gone { known.keys.remove(gone) }
      }
      if generator.oneIn(10) { _ = try calling(number) { try $0.checkpoint() } }
    }
  }

  private func read(by number: Int, using generator: inout SeededGenerator) throws {
    var (revision, width) = (0, 0)
    var remaining = 20
    while remaining > 0 || writersAtWork.load(ordering: .sequentiallyConsistent) > 0 {
      remaining -= 1
      if generator.oneIn(3) {
        guard try readRemoved(by: number) else { return }
        continue
      }
      let before = known.withLock { ($0.revision, $0.width) }
      let read = try calling(number) { cache in
        try cache.read(Self.steady) { snapshot in
          let all = Rect(origin: .zero, size: snapshot.contentSize)
          let count = try snapshot.elements(in: all).elements.count
          guard count == snapshot.itemCount else {
            throw Difference(description: "\(count) elements of \(snapshot.itemCount) items")
          }
          return (
            revision: snapshot.revision, width: Int(snapshot.contentSize.width.points),
            isOutdated: snapshot.isOutdated
          )
        }
      }
      guard let read else { return }
      // While the layout is laid out by a new configuration, the last result answers.
      guard read.revision >= max(revision, before.0), read.width >= width,
        read.isOutdated || read.width >= before.1
      else {
        throw Difference(
          description: "\(read) by cache \(number) after \((revision, width)), \(before)")
      }
      (revision, width) = (read.revision, read.width)
      known.withLock { $0.readCount += 1 }
    }
  }

  /// Reads a width that is not stored, its changes, and how it was at an earlier revision.
  private func readTemporary(by number: Int, using generator: inout SeededGenerator) throws {
    var last = 1
    func all(_ cache: LayoutCache, _ layout: LayoutID) throws -> (Int, [OracleElement]) {
      try cache.read(layout) { ($0.revision, try OracleElement.all(of: $0)) }
    }
    while writersAtWork.load(ordering: .sequentiallyConsistent) > 0 {
      let read = try LayoutCache.$mayStoreSizes.withValue(false) {
        try calling(number) { cache in
          let found = try all(cache, Self.width)
          let exact = try all(cache, Self.exact)
          guard found.0 >= last, found.0 != exact.0 || found.1 == exact.1 else {
            throw Difference(description: "\(found) after \(last), not \(exact)")
          }
          let changes = try cache.changes(of: "feed", since: last, layout: "any@104")
          guard changes.revision >= found.0, changes.layouts.count == 1 else {
            throw Difference(description: "\(changes) since \(last)")
          }
          try cache.read(Self.width, since: last) { before, present in
            _ = try before?.transition(to: present, in: Rect(x: 0, y: 0, width: 104, height: 90))
          }
          return found.0
        }
      }
      guard let read else { return }
      if generator.oneIn(2) { last = read }
    }
  }

  /// Reads the layout that is removed and created: an answer is of the present one.
  private func readRemoved(by number: Int) throws -> Bool {
    let before = known.withLock { (removed: $0.removals.returned, created: $0.creationCount) }
    do {
      let width = try calling(number) { cache in
        try cache.read(Self.removed) { Int($0.contentSize.width.points) }
      }
      guard let width else { return false }
      // Widths are 100 and the number of the layout's creation.
      guard width - 100 >= before.removed else {
        throw Difference(description: "width \(width) after \(before.removed) removals")
      }
    } catch let error as LayoutCacheError {
      guard case .noSuchLayout = error.code else { throw error }
      let begunCount = known.withLock { $0.removals.begun }
      guard begunCount > before.created else {
        throw Difference(description: "the layout is missing after creation \(before.created)")
      }
    }
    return true
  }

  private func configure(using generator: inout SeededGenerator) throws {
    // A storm of changes would exhaust the attempts of a read.
    for _ in 0..<12 {
      let width = known.withLock { $0.width } + 1
      try set(Self.steady, width: width, by: caches[0])
      known.withLock { $0.width = width }
      usleep(UInt32.random(in: 2000...9000, using: &generator))
    }
  }

  /// Removes and creates the layout, with pauses of random numbers of microseconds.
  private func recreate(
    _ times: Int, pause pauseMax: UInt32, using generator: inout SeededGenerator
  ) throws {
    for count in 1...times {
      known.withLock { $0.removals.begun += 1 }
      try caches[0].removeLayout(Self.removed)
      known.withLock { $0.removals.returned += 1 }
      usleep(.random(in: 0...pauseMax, using: &generator))
      try set(Self.removed, width: 100 + count, by: caches[0])
      known.withLock { $0.creationCount += 1 }
      usleep(.random(in: 0...pauseMax, using: &generator))
    }
  }

  private func prepare(using generator: inout SeededGenerator) throws {
    while writersAtWork.load(ordering: .sequentiallyConsistent) > 0 {
      let number = Int.random(in: 0...1, using: &generator)
      let preparation = try calling(number) { try $0.prepare(Self.steady) }
      if preparation == nil { return }
      if generator.oneIn(8) { _ = try caches[0].verify() }
    }
  }

  // MARK: - Tasks

  /// Starts tasks of which many are cancelled.
  private func cancelTasks() async throws {
    var generator = SeededGenerator(seed: seed &* 37)
    let cache = caches[0]
    for step in 0..<Self.commitCount {
      let key = "task-\(step)"
      let item = try Item(key: key, width: 3, height: 4)
      let update = Task {
        try await cache.performUpdate(
          "feed", with: [.insert([item], at: .end(section: Importer.defaultSection))])
      }
      let read = Task { try await cache.performRead(Self.steady) { $0.revision } }
      if generator.oneIn(2) { try await Task.sleep(for: .microseconds(200)) }
      if !generator.oneIn(3) { update.cancel() }
      if generator.oneIn(2) { read.cancel() }
      do {
        let commit = try await update.value
        known.withLock { known in
          known.keys.insert(key)
          known.revision = max(known.revision, commit.revision)
        }
      } catch is CancellationError {
        known.withLock { _ = $0.cancelledKeys.insert(key) }
      }
      do {
        _ = try await read.value
      } catch is CancellationError {
        continue
      } catch let error as LayoutCacheError {
        guard case .concurrentModification = error.code else { throw error }
      }
    }
  }

  // MARK: - Listeners

  func listen() async throws -> [Task<[Int], any Error>] {
    var tasks: [Task<[Int], any Error>] = []
    for cache in caches {
      let commits = try await cache.commits(of: "feed", queueCountMax: 10_000)
      tasks.append(
        Task {
          var revisions = [commits.revision]
          for try await event in commits {
            if case .layout = event { continue }
            guard case .commit(let commit) = event else {
              throw Difference(description: "a listener received \(event)")
            }
            revisions.append(commit.revision)
            if commit.updates.items.contains(where: { $0.key == "last" }) { break }
          }
          return revisions
        })
    }
    return tasks
  }

  /// The revisions that the listeners have received until a last commit.
  func received(by listeners: [Task<[Int], any Error>]) async throws -> [[Int]] {
    try caches[0].update(
      "feed",
      with: [
        .insert(
          [Item(key: "last", width: 1, height: 1)], at: .end(section: Importer.defaultSection))
      ])
    var revisions: [[Int]] = []
    for listener in listeners { revisions.append(try await listener.value) }
    return revisions
  }

  func compare(_ revisions: [[Int]]) throws {
    let last = try caches[0].dataset("feed").revision
    for (number, received) in revisions.enumerated() {
      #expect(received == Array(1..<(1 + received.count)), "listener \(number)")
      // The events of a closed cache end.
      if number == 0 || !hasClosed { #expect(received.last == last) }
    }
    let (keys, cancelled) = known.withLock { ($0.keys, $0.cancelledKeys) }
    var found: Set<String> = []
    try caches[0].forEachItem(of: "feed") { found.insert($1.key) }
    #expect(keys.isSubset(of: found) && cancelled.isDisjoint(with: found))
    let own = found.filter { $0.hasPrefix("0-") || $0.hasPrefix("1-") || $0.hasPrefix("task-") }
    #expect(own == keys)
    for layout in [Self.steady, Self.removed] {
      guard try caches[0].layouts(of: "feed").contains(where: { $0.name == layout.layout })
      else { continue }
      let fresh = try LayoutCache(path: caches[0].path, options: options)
      let elements = try [caches[0], fresh].map { cache in
        try cache.read(layout) { try OracleElement.all(of: $0) }
      }
      #expect(elements[0] == elements[1])
    }
    #expect(try caches[0].verify().problems.isEmpty)
  }
}
