import Foundation
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a separate `OpenDatasets` receives states of real datasets in a random order,
// compared with a model that remembers every commit. Invariants: a state read before a commit
// of its dataset is never accepted; any other is, as long as no commit was forgotten; the
// memory is bounded.

/// The datasets in memory, and the commits that invalidate states read earlier.
@Suite struct OpenDatasetsTests {
  private static let names = ["a", "b", "c", "d", "e"]

  /// A state of each dataset, in the order of ``names``.
  private func states() throws -> (directory: TemporaryDirectory, states: [DatasetState]) {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(path: directory.path(of: "feeds.sqlite"))
    let states = try Self.names.map { name in
      _ = try cache.importItems(into: name, mode: .create) { importer in
        try importer.add(Item(key: name, width: 1, height: 1))
      }
      _ = try cache.item(forKey: name, of: name)
      return try #require(cache.openDatasets.known(name).state)
    }
    return (directory, states)
  }

  /// A regression: an import whose reader began before a commit, and which then took the state
  /// after the commit from memory, reported a damaged log.
  @Test func aStateNewerThanTheReaderIsNotReused() throws {
    let (directory, _) = try states()
    let cache = try LayoutCache(path: directory.path(of: "feeds.sqlite"))
    try cache.store.read { reader in
      // The first read begins the reader's transaction.
      #expect(try cache.exists("a", reader))
      let old = try cache.current("a", reader: reader)
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = try? cache.update("a", with: [.insertSection(key: "new")])
        ended.signal()
      }
      ended.wait()
      let known = try #require(cache.openDatasets.known("a").state)
      #expect(known.revision == old.revision + 1)
      let state = try cache.current("a", known: known, reader: reader)
      #expect(state.revision == old.revision)
      #expect(state.trees.sections.count == old.trees.sections.count)
    }
  }

  @Test(arguments: PropertyRun.seeds) func onlyStatesWithoutLaterCommitsAreAccepted(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let (directory, states) = try states()
    for commitsMax in [1, 2, 3, 5, 8] {
      let datasets = OpenDatasets(commitsMax: commitsMax)
      /// The names of all commits, in order.
      var commits: [Int] = []
      /// The readers' knowledge when they began, with the number of commits until then.
      var readers: [(dataset: Int, known: OpenDatasets.Known, commitCount: Int)] = []
      var takenCount = 0
      // A state in memory is identified by the generation with which it was stored.
      for step in 1...PropertyRun.steps(400) {
        let dataset = Int.random(in: 0..<Self.names.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
          readers.append((dataset, datasets.known(Self.names[dataset]), commits.count))
        case 2:
          commits.append(dataset)
          datasets.takeCommitted(states[dataset], generation: step)
        case 3:
          commits.append(dataset)
          datasets.drop(Self.names[dataset])
          #expect(datasets.known(Self.names[dataset]).state == nil)
        default:
          guard let index = readers.indices.randomElement(using: &generator) else { continue }
          let reader = readers.remove(at: index)
          datasets.take(states[reader.dataset], generation: step, since: reader.known)
          let isTaken = datasets.known(Self.names[reader.dataset]).generation == step
          let later = commits[reader.commitCount...]
          let place = "seed \(seed), \(commitsMax) names, step \(step)"
          if later.contains(reader.dataset) {
            #expect(!isTaken, "\(place): a commit came later")
          } else if later.isEmpty || Set(commits).count <= commitsMax {
            #expect(isTaken, "\(place): no commit came later, and none is forgotten")
          }
          takenCount += isTaken ? 1 : 0
        }
        #expect(datasets.counts.commits <= commitsMax)
      }
      #expect(takenCount > 0, "seed \(seed), \(commitsMax) names")
    }
    withExtendedLifetime(directory) {}
  }

  /// A change of layouts makes no revision, so the state before it and after it differ in
  /// nothing that a snapshot has.
  @Test func aSnapshotIsKeptOnlyWithTheEntryThatItWasMadeFrom() throws {
    let cache = try LayoutCache.temporary()
    let phone = LayoutID("phone", of: "feed")
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      try importer.add(Item(key: "i", width: 1, height: 1))
    }
    try cache.setLayout(phone, to: ConfigurationText.decode(#"{"container":{"width":100}}"#))
    try cache.prepare(phone)
    let before = cache.openDatasets.known("feed")
    let entry = try #require(before.entry)
    let snapshot = try cache.read(phone) { $0 }
    try cache.removeLayout(phone)
    let present = cache.openDatasets.known("feed")
    #expect(present.state?.revision == before.state?.revision)
    cache.openDatasets.keep(snapshot, of: entry)
    #expect(throws: LayoutCacheError.self) { try cache.read(phone) { _ in } }
    // The present entry takes snapshots of its state.
    cache.openDatasets.keep(snapshot, of: try #require(present.entry))
    #expect(
      cache.openDatasets.snapshot(of: phone, generation: try #require(present.generation)) != nil)
  }

  /// A process that uses any number of datasets remembers a bounded number of them.
  @Test func namesUsedOnceAreForgotten() throws {
    let datasets = OpenDatasets()
    for number in 0..<10_000 { datasets.drop("dataset \(number)") }
    #expect(datasets.counts == (entries: 0, commits: 10_000 - 2 * 4096))
    let (directory, states) = try states()
    datasets.take(states[0], generation: 1, since: datasets.known("a"))
    #expect(datasets.counts.entries == 1)
    withExtendedLifetime(directory) {}
  }

  /// Through the cache: datasets that are created and removed leave nothing in memory.
  @Test func removedDatasetsLeaveNoState() throws {
    let cache = try LayoutCache.temporary()
    for number in 0..<20 {
      _ = try cache.importItems(into: "d\(number)", mode: .create) { importer in
        try importer.add(Item(key: "i", width: 1, height: 1))
      }
      try cache.removeDataset("d\(number)")
    }
    #expect(cache.openDatasets.counts.entries == 0)
    #expect(cache.openDatasets.counts.commits <= 20)
    // A recreated dataset is read and remembered.
    _ = try cache.importItems(into: "d3", mode: .create) { importer in
      try importer.add(Item(key: "again", width: 1, height: 1))
    }
    #expect(try cache.item(forKey: "again", of: "d3") != nil)
    #expect(cache.openDatasets.counts.entries == 1)
  }
}
