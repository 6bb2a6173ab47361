import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Actions on the whole file, and imports.
extension World {
  func checkpoint() throws {
    let cache = anyCache()
    record("\(cache) checkpoints")
    try caches[cache].checkpoint()
  }

  /// Closes a cache, or abandons it as if its process were killed, and opens another.
  func reopen() throws {
    let cache = anyCache()
    let closes = generator.oneIn(2)
    record("\(cache) is \(closes ? "closed" : "abandoned")")
    listeners.removeAll { $0.cache == cache }
    if closes { try caches[cache].close() }
    caches[cache] = try open(cache)
  }

  func compact() throws {
    let cache = anyCache()
    record("\(cache) compacts")
    try caches[cache].compact()
    for dataset in datasets.indices {
      if case .state = datasets[dataset].previous { datasets[dataset].previous = .unknown }
    }
  }

  /// Items for a dataset, and the model with them.
  struct PlannedImport {
    var mode: ImportMode
    var sections: [OracleSection]
    var data: [ExactKey: ItemData]
    var after: WorldDataset
  }

  /// Appends items to a dataset, or replaces them.
  func importItems() throws {
    let (cache, dataset) = (anyCache(), anyDataset())
    walks.removeAll { $0.place.dataset == dataset }
    let name = datasets[dataset].model.name
    let planned = try plannedImport(to: dataset)
    record("\(cache): \(planned.mode) \(name): \(planned.sections)")
    let summary = try caches[cache].importItems(planned, into: name)
    datasets[dataset] = planned.after
    let (after, count) = (planned.after.model, planned.sections.reduce(0) { $0 + $1.items.count })
    #expect(summary.revision == after.revision && summary.importedCount == count)
    #expect(summary.itemCount == after.itemCount && summary.sectionCount == after.sections.count)
  }

  func plannedImport(to dataset: Int) throws -> PlannedImport {
    let before = datasets[dataset]
    let sections = datasets[dataset].batches.imported(to: before.model, using: &generator)
    let data = try WorldDataset.randomData(for: sections, using: &generator)
    var after = datasets[dataset]
    if generator.oneIn(3) {
      try after.model.replace(sections: sections)
      (after.data, after.marks, after.requests) = (data, [:], [])
      after.noteImport()
      return PlannedImport(mode: .replace, sections: sections, data: data, after: after)
    }
    after.data.merge(data) { $1 }
    try after.model.append(sections)
    // A large import builds the trees again, and is no batch.
    if sections.reduce(0, { $0 + $1.items.count }) >= before.model.itemCount / 8 {
      after.noteImport()
    } else {
      after.noteRevision(since: before.present)
    }
    return PlannedImport(mode: .append, sections: sections, data: data, after: after)
  }
}

extension LayoutCache {
  func importItems(_ planned: World.PlannedImport, into name: String) throws -> ImportSummary {
    try importItems(planned.sections, planned.data, into: name, planned.mode)
  }

  func importItems(
    _ sections: [OracleSection], _ data: [ExactKey: ItemData], into name: String,
    _ mode: ImportMode
  ) throws -> ImportSummary {
    try importItems(into: name, mode: mode) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items {
          try importer.add(Item(item, data[ExactKey(item.key)]), section: section.key)
        }
      }
    }
  }
}

// Actions on copies: backups, which may be restored, and archives.
extension World {
  /// Copies the database; then the copy is compared, or replaces the database.
  func backUp() async throws {
    let (cache, name) = (anyCache(), freshName())
    record("\(cache) is backed up to \(name)")
    let copy = directory.path(of: name)
    try caches[cache].backup(to: copy)
    let copied = copiedDatasets
    if generator.oneIn(2) { return try await inspect(copy, copied) }
    // Commits after the backup are lost.
    if generator.oneIn(2) { try commit() }
    record("\(name) is restored")
    dropReaders()
    for cache in caches { try cache.close() }
    if process != nil {
      #expect {
        try LayoutCache.restore(from: copy, to: path)
      } throws: {
        ($0 as? LayoutCacheError)?.category == .busy
      }
      try await closeElsewhere()
    }
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
      try world.observeHistory()
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

  /// Compares everything in another database with a model, and sometimes changes it.
  func inspect(_ path: String, _ copied: [WorldDataset]) async throws {
    try await at(path, copied) { world in
      try await world.inspect()
      if world.generator.oneIn(2) { try world.commit() }
    }
  }

  /// The model of a copy.
  var copiedDatasets: [WorldDataset] {
    datasets.map { dataset in
      var copied = dataset
      copied.noteCopy()
      return copied
    }
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
