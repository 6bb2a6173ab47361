import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Actions on copies: backups, which may be restored, and archives.
extension World {
  /// Copies the database; then the copy is compared, or replaces the database.
  func backUp() async throws {
    let (cache, name) = (anyCache(), freshName())
    record("\(cache) is backed up to \(name)")
    let copy = directory.path(of: name)
    try caches[cache].backup(to: copy)
    var copied = datasets
    for dataset in copied.indices { copied[dataset].noteCopy() }
    if generator.oneIn(2) {
      return try await at(copy, copied) { world in
        try await world.inspect()
        if world.generator.oneIn(2) { try world.commit() }
      }
    }
    // Commits after the backup are lost.
    if generator.oneIn(2) { try commit() }
    record("\(name) is restored")
    dropReaders()
    for cache in caches { try cache.close() }
    try LayoutCache.restore(from: copy, to: path)
    datasets = copied
    for number in caches.indices { caches[number] = try open(number) }
    try await inspect()
    // The first change of a restored database begins another history of each dataset.
    try commit([.init(.rebalance(), layout: 0)], to: 0)
  }

  /// Loads a dataset's archive into another database, and continues there.
  func archive() async throws {
    let (cache, number, name) = (anyCache(), anyDataset(), freshName())
    record("\(cache) exports \(datasets[number].model.name)")
    let bytes = try caches[cache].archive(of: datasets[number].model.name)
    var copied = datasets[number]
    copied.noteCopy()
    copied.model.name = name
    let pieces = [1, 7, 1000, 1 << 16].randomElement(using: &generator)!
    try await at(directory.path(of: name), [copied]) { world in
      try world.caches[0].load(bytes, as: name, pieces: pieces)
      let again = try world.caches[0].archive(of: name)
      // The names of datasets differ, and nothing else.
      let (left, right) = (try ArchiveRecords(bytes), try ArchiveRecords(again))
      #expect(left.records.map(\.kind) == right.records.map(\.kind))
      let differing = zip(left.records, right.records).count { $0.payload != $1.payload }
      #expect(differing <= 1)
      try await world.inspect()
      if world.generator.oneIn(2) { try world.commit() }
      try await world.inspect()
    }
  }

  /// Runs a body in another database.
  func at(
    _ path: String, _ copied: [WorldDataset], _ body: (World) async throws -> Void
  ) async throws {
    let (ownPath, ownCaches, ownDatasets) = (self.path, caches, datasets)
    let (ownListeners, ownWalks) = (listeners, walks)
    (self.path, datasets, listeners, walks) = (path, copied, [], [])
    for number in caches.indices { caches[number] = try open(number) }
    do {
      try await body(self)
      for cache in caches { try cache.close() }
    } catch {
      (self.path, caches, datasets) = (ownPath, ownCaches, ownDatasets)
      throw error
    }
    (self.path, caches, datasets) = (ownPath, ownCaches, ownDatasets)
    (listeners, walks) = (ownListeners, ownWalks)
  }

  /// Compares everything with the model.
  func inspect() async throws {
    for dataset in datasets.indices {
      for layout in datasets[dataset].model.layouts.indices {
        try read(Place(dataset: dataset, layout: layout)) { try compareAll($0, $1) }
      }
    }
    try observeItems()
    try observeDatasets()
    try observeVerification()
  }
}

extension WorldDataset {
  /// A copy has no earlier checkpoints: its newest commit can be undone at most from the log.
  mutating func noteCopy() {
    if case .state = previous { previous = .unknown }
    returned = [:]
  }
}
