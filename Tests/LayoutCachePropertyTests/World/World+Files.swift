import CollectionLayout
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

  /// Appends items to a dataset, or replaces them.
  func importItems() throws {
    let (cache, dataset) = (anyCache(), anyDataset())
    walks.removeAll { $0.place.dataset == dataset }
    let before = datasets[dataset]
    let sections = datasets[dataset].batches.imported(to: before.model, using: &generator)
    let data = try WorldDataset.randomData(for: sections, using: &generator)
    let count = sections.reduce(0) { $0 + $1.items.count }
    let summary: ImportSummary
    if generator.oneIn(3) {
      record("\(cache) replaces \(before.model.name): \(sections)")
      summary = try importItems(sections, data, into: before.model.name, .replace, by: cache)
      try datasets[dataset].model.replace(sections: sections)
      (datasets[dataset].data, datasets[dataset].marks) = (data, [:])
      datasets[dataset].requests = []
      datasets[dataset].noteImport()
    } else {
      // A large import builds the trees again, and is no batch.
      let isBuilt = count >= before.model.itemCount / 8
      record("\(cache) appends to \(before.model.name)\(isBuilt ? ", building" : ""): \(sections)")
      summary = try importItems(sections, data, into: before.model.name, .append, by: cache)
      datasets[dataset].data.merge(data) { $1 }
      try datasets[dataset].model.append(sections)
      if isBuilt {
        datasets[dataset].noteImport()
      } else {
        datasets[dataset].noteRevision(since: before.present)
      }
    }
    let after = datasets[dataset].model
    #expect(summary.revision == after.revision && summary.importedCount == count)
    #expect(summary.itemCount == after.itemCount && summary.sectionCount == after.sections.count)
  }

  func importItems(
    _ sections: [OracleSection], _ data: [ExactKey: ItemData], into name: String,
    _ mode: ImportMode, by cache: Int
  ) throws -> ImportSummary {
    try caches[cache].importItems(into: name, mode: mode) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items {
          try importer.add(Item(item, data[ExactKey(item.key)]), section: section.key)
        }
      }
    }
  }
}
