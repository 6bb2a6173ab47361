import Foundation
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a separate `OpenDatasets` has states of real datasets. Readers and a writer act on it in
// a random order; the model of the file is the revision of each dataset. A reader sees the file at
// any moment after its begin. Invariant: a state in memory is the file's.

/// The datasets in memory, with every order of reads, commits and removals.
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
      return try #require(cache.openDatasets.stateInMemory(of: name))
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
      let known = try #require(cache.openDatasets.stateInMemory(of: "a"))
      #expect(known.revision == old.revision + 1)
      let state = try cache.current("a", known: known, reader: reader)
      #expect(state.revision == old.revision)
      #expect(state.trees.sections.count == old.trees.sections.count)
    }
  }

  @Test(arguments: PropertyRun.seeds) func aStateInMemoryIsTheFiles(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (directory, states) = try states()
    let datasets = OpenDatasets()
    var file = Dictionary(uniqueKeysWithValues: zip(Self.names, states))
    /// Readers, and the states that their transactions see, once they have begun.
    var readers: [(owner: OpenDataset, reading: OpenDataset.Reading, seen: DatasetState?)] = []
    var advancedCount = 0
    for step in 1...PropertyRun.steps(2000) {
      let name = Self.names[Int.random(in: 0..<Self.names.count, using: &generator)]
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1:
        let owner = datasets.opened(name)
        readers.append((owner, OpenDataset.Reading(owner, generation: 1), nil))
      case 2, 3:
        guard let index = readers.indices.randomElement(using: &generator) else { continue }
        readers[index].seen = file[readers[index].owner.name]
      case 4:
        file[name]?.head.revision += 1
        try datasets.commit(#require(file[name]), generation: 1)
      case 5 where step.isMultiple(of: 3):
        file[name]?.head.revision += 1
        datasets.forget(name)
      case 5 where step.isMultiple(of: 5):
        let isLoaded = datasets.stateInMemory(of: name) != nil
        _ = datasets.noteLoaded(bytes: 1, budget: 0) { $0 == name }
        #expect(isLoaded == (datasets.stateInMemory(of: name) != nil), "seed \(seed), step \(step)")
      default:
        guard let index = readers.indices.randomElement(using: &generator) else { continue }
        var reader = readers.remove(at: index)
        if let seen = reader.seen { reader.reading.advance(to: seen) }
        #expect(reader.seen == nil || !reader.owner.isEmpty, "seed \(seed), step \(step)")
        advancedCount += datasets.stateInMemory(of: reader.owner.name) == nil ? 0 : 1
        datasets.forgetIfEmpty(reader.owner)
      }
      for (name, state) in file {
        let present = datasets.stateInMemory(of: name)?.revision ?? state.revision
        #expect(present == state.revision, "seed \(seed), step \(step), \(name)")
      }
    }
    #expect(advancedCount > 0, "seed \(seed)")
    withExtendedLifetime(directory) {}
  }

  /// A change of layouts makes no revision, so the state before it and after it differ in
  /// nothing that a snapshot has.
  @Test func aSnapshotGoesWithTheStateThatItWasMadeFrom() throws {
    let cache = try LayoutCache.temporary()
    let phone = LayoutID("phone", of: "feed")
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      try importer.add(Item(key: "i", width: 1, height: 1))
    }
    try cache.setLayout(phone, to: ConfigurationText.decode(#"{"container":{"width":100}}"#))
    try cache.prepare(phone)
    try cache.read(phone) { _ in }
    let before = try #require(cache.openDatasets.stateInMemory(of: "feed")).revision
    #expect(cache.snapshotInMemory(of: phone, generation: nil) != nil)
    try cache.removeLayout(phone)
    #expect(cache.openDatasets.stateInMemory(of: "feed")?.revision == before)
    #expect(cache.snapshotInMemory(of: phone, generation: nil) == nil)
    #expect(throws: LayoutCacheError.self) { try cache.read(phone) { _ in } }
  }

  /// Names that no dataset has are not remembered, however many are asked for.
  @Test func missingDatasetsLeaveNothing() throws {
    let cache = try LayoutCache.temporary()
    for number in 0..<100 {
      let layout = LayoutID("l", of: "dataset \(number)")
      #expect(throws: LayoutCacheError.self) { try cache.read(layout) { _ in } }
      #expect(throws: LayoutCacheError.self) { try cache.update(layout.dataset, with: []) }
      #expect(throws: LayoutCacheError.self) { try cache.changes(of: layout.dataset, since: 0) }
      #expect(throws: LayoutCacheError.self) { try cache.item(forKey: "i", of: layout.dataset) }
    }
    #expect(cache.openDatasets.count == 0)
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
    #expect(cache.openDatasets.count == 0)
    // A recreated dataset is read and remembered.
    _ = try cache.importItems(into: "d3", mode: .create) { importer in
      try importer.add(Item(key: "again", width: 1, height: 1))
    }
    #expect(try cache.item(forKey: "again", of: "d3") != nil)
    #expect(cache.openDatasets.count == 1)
  }
}

extension OpenDatasets {
  func stateInMemory(of name: String) -> DatasetState? { dataset(inMemory: name)?.state(at: nil) }
}
