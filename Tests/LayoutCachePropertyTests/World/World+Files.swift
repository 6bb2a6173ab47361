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
