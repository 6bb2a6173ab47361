import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Imports items into a dataset in one transaction: where anything fails, or the
  /// process is killed, nothing is left behind.
  ///
  ///     try cache.importItems(into: "phones", mode: .create) { importer in
  ///       try importer.add(Item(key: "a", width: 4, height: 3), section: "1997")
  ///     }
  ///
  /// Other writers wait until it is done; readers go on with the old state.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - mode: What happens to a dataset of the name.
  ///   - body: Adds the items.
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `limit`, `duplicateKey`,
  ///   `database`; and what `body` throws. The database is then as before.
  /// - Complexity: O(n) time for the n items of the dataset afterwards; constant
  ///   memory, beside the keys of the sections.
  public func importItems(
    into name: String, mode: ImportMode, _ body: (inout Importer) throws -> Void
  ) throws -> ImportSummary {
    try classified {
      try Limits.check(name: name, as: "dataset name")
      return try store.write { writer in
        let existing = try writer.reader.dataset(named: name)
        if existing != nil && mode == .create { throw LayoutCacheError(.datasetExists(name)) }
        var importer = Importer(
          items: ImportedItems(writer: writer, memoryBytesMax: options.importBytes / 2))
        let old = mode == .append ? existing : nil
        let oldTrees = try old.map { try DatasetTrees($0, hash: store.hash, path: store.path) }
        let reader = TreeReader(writer.reader, keepsNodes: false)
        var oldCounts: [Int] = []
        try oldTrees?.sections.forEachLeaf(reader: reader) { leaf, _ in
          for entry in leaf.entries {
            _ = try importer.items.section(entry.key)
            oldCounts.append(entry.itemCount)
          }
        }
        try body(&importer)
        return try build(
          &importer.items, name: name, existing: existing,
          oldItems: oldTrees?.items, oldCounts: oldCounts, reader: reader, writer: writer)
      }
    }
  }

  /// Builds the dataset in a fresh space and puts it in place of what there was.
  private func build(
    _ imported: inout ImportedItems, name: String, existing: DatasetRow?,
    oldItems: SumTree<ItemLeaf>?, oldCounts: [Int], reader: TreeReader, writer: StoreWriter
  ) throws -> ImportSummary {
    let space = try writer.makeSpace()
    let sink = writer.nodeSink(in: space, next: 1)
    var builder = DatasetBuilder(
      writer: writer, sink: sink, sortBytesMax: options.importBytes / 2)
    var oldStart = 0
    for section in imported.sectionKeys.indices {
      var count = 0
      if let oldItems, section < oldCounts.count {
        let range = oldStart..<(oldStart + oldCounts[section])
        try oldItems.forEachRun(in: range, reader: reader) { try builder.append($0) }
        count = range.count
        oldStart = range.upperBound
      }
      try imported.forEachRun(ofSection: section) { run in
        try builder.append(run.items)
        count += run.items.count
      }
      try builder.endSection(key: imported.sectionKeys[section], itemCount: count)
    }
    let trees: DatasetTrees
    do {
      trees = try builder.finish()
    } catch let error as DuplicateKeysFound {
      guard var duplicate = try imported.firstDuplicate(among: error.keys) else { throw error }
      duplicate.lines.removeAll { $0 == 0 }
      throw LayoutCacheError(.duplicateKey(duplicate))
    }
    try imported.drop()
    if let existing { try writer.deleteNodes(in: existing.space) }
    let row = DatasetRow(
      id: try existing?.id ?? writer.freshDatasetID(), name: name, space: space,
      nextNode: sink.next, revision: (existing?.revision ?? 0) + 1,
      sectionCount: imported.sectionKeys.count, itemCount: trees.items.count,
      roots: trees.encodedRoots)
    try writer.put(row)
    return ImportSummary(
      importedCount: imported.count, itemCount: row.itemCount,
      sectionCount: row.sectionCount, revision: row.revision)
  }
}
