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
  /// Other writers wait while the trees are built, not while `body` takes its time;
  /// readers go on with the old state.
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
      // Early, and again below: the answer may change while the items come in.
      if mode == .create { try store.read { try Self.refuse(name, in: $0) } }
      var importer = Importer(items: ImportedItems(memoryBytesMax: options.importBytes / 2))
      // No lock is held here: the items may take their time to come in.
      try body(&importer)
      return try store.write { writer in
        if mode == .create { try Self.refuse(name, in: writer.reader) }
        return try build(
          &importer.items, name: name, existing: try writer.reader.dataset(named: name),
          keepsItems: mode == .append, writer: writer)
      }
    }
  }

  private static func refuse(_ name: String, in reader: StoreReader) throws {
    if try reader.dataset(named: name) != nil { throw LayoutCacheError(.datasetExists(name)) }
  }

  /// Builds the dataset in a fresh space and puts it in place of what there was.
  private func build(
    _ imported: inout ImportedItems, name: String, existing: DatasetRow?, keepsItems: Bool,
    writer: StoreWriter
  ) throws -> ImportSummary {
    let space = try writer.makeSpace()
    let sink = writer.nodeSink(in: space, next: 1)
    var builder = DatasetBuilder(
      writer: writer, sink: sink, sortBytesMax: options.importBytes / 2)
    var kept: Set<Int> = []
    if keepsItems, let existing {
      let old = try DatasetTrees(existing, hash: store.hash, path: path)
      kept = try Self.append(
        old, and: &imported, to: &builder, reader: TreeReader(writer.reader, keepsNodes: false))
    }
    for section in imported.sectionKeys.indices where !kept.contains(section) {
      let count = try Self.append(section, of: &imported, to: &builder)
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
    if let existing { try writer.deleteNodes(in: existing.space) }
    let row = DatasetRow(
      id: try existing?.id ?? writer.freshDatasetID(), name: name, space: space,
      nextNode: sink.next, revision: (existing?.revision ?? 0) + 1,
      sectionCount: trees.sections.count, itemCount: trees.items.count,
      roots: trees.encodedRoots)
    try writer.put(row)
    return ImportSummary(
      importedCount: imported.count, itemCount: row.itemCount,
      sectionCount: row.sectionCount, revision: row.revision)
  }

  /// Appends the sections that a dataset has, each with the items imported for it.
  ///
  /// - Returns: The numbers of the imported sections that are among them.
  private static func append(
    _ old: DatasetTrees, and imported: inout ImportedItems, to builder: inout DatasetBuilder,
    reader: TreeReader
  ) throws -> Set<Int> {
    var known: Set<Int> = []
    var start = 0
    var sections = Cursor(old.sections, at: ElementOffset(), reader: reader)
    while try sections.next() {
      for entry in sections.leaf.entries {
        let range = start..<(start + entry.itemCount)
        try old.items.forEachRun(in: range, reader: reader) { try builder.append($0) }
        start = range.upperBound
        var count = range.count
        if let section = imported.number(ofSection: entry.key) {
          known.insert(section)
          count += try append(section, of: &imported, to: &builder)
        }
        try builder.endSection(key: entry.key, itemCount: count)
      }
    }
    return known
  }

  /// Appends the items imported for a section.
  ///
  /// - Returns: How many they are.
  private static func append(
    _ section: Int, of imported: inout ImportedItems, to builder: inout DatasetBuilder
  ) throws -> Int {
    var count = 0
    try imported.forEachRun(ofSection: section) { run in
      try builder.append(run.items)
      count += run.items.count
    }
    return count
  }
}
