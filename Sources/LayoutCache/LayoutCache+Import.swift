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
  /// - Complexity: O(n) time for the n items of the dataset afterwards, in constant
  ///   memory beside the keys of the sections. Appending k items to many more than k
  ///   takes O(k log n) time and O(k) memory.
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
        let existing = try writer.reader.dataset(named: name)
        if mode == .append, let existing,
          importer.items.count < existing.itemCount / Self.rebuildRatio
        {
          return try edit(existing, appending: &importer.items, writer: writer)
        }
        return try build(
          &importer.items, name: name, existing: existing, keepsItems: mode == .append,
          writer: writer)
      }
    }
  }

  /// Items appended to a dataset of more than this many times their number are put
  /// in place; more of them are faster, and packed closer, in trees built anew.
  private static let rebuildRatio = 8

  private static func refuse(_ name: String, in reader: StoreReader) throws {
    if try reader.dataset(named: name) != nil { throw LayoutCacheError(.datasetExists(name)) }
  }

  /// Puts items in place behind those of their sections.
  private func edit(
    _ existing: DatasetRow, appending imported: inout ImportedItems, writer: StoreWriter
  ) throws -> ImportSummary {
    var trees = try DatasetTrees(existing, hash: store.hash, path: path)
    let reader = TreeReader(writer.reader)
    var keys: Set<ExactKey> = []
    var duplicates: Set<ExactKey> = []
    var edits = TreeEdits()
    for section in imported.sectionKeys.indices {
      let key = imported.sectionKeys[section]
      let known = try trees.sectionIndex(ofKey: key, reader: reader)
      if known == nil { try trees.appendSection(key, reader: reader, edits: &edits) }
      let number = known ?? trees.sections.count - 1
      try imported.forEachRun(ofSection: section) { run in
        for index in 0..<run.items.count {
          let key = run.items.key(at: index)
          let isNew = keys.insert(ExactKey(key)).inserted
          if try !isNew || trees.itemIndex(ofKey: key, reader: reader) != nil {
            duplicates.insert(ExactKey(key))
          }
        }
        // What is refused in the end need not be put in place.
        guard duplicates.isEmpty else { return }
        try trees.append(run.items, toSection: number, reader: reader, edits: &edits)
      }
    }
    if let duplicate = try imported.firstDuplicate(among: duplicates) {
      throw LayoutCacheError(.duplicateKey(duplicate.withoutUnknownLines))
    }
    let sink = writer.nodeSink(in: existing.space, next: existing.nextNode)
    try trees.store(into: sink)
    precondition(edits.dropped.isEmpty, "appending drops no subtree")
    try writer.delete(edits.obsolete)
    var row = existing
    row.nextNode = sink.next
    row.revision += 1
    return try put(row, trees, importedCount: imported.count, writer: writer)
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
      guard let duplicate = try imported.firstDuplicate(among: error.keys) else { throw error }
      throw LayoutCacheError(.duplicateKey(duplicate.withoutUnknownLines))
    }
    if let existing { try writer.deleteNodes(in: existing.space) }
    let row = DatasetRow(
      id: try existing?.id ?? writer.freshDatasetID(), name: name, space: space,
      nextNode: sink.next, revision: (existing?.revision ?? 0) + 1, sectionCount: 0,
      itemCount: 0, roots: [])
    return try put(row, trees, importedCount: imported.count, writer: writer)
  }

  /// Stores a dataset's row with its trees.
  private func put(
    _ row: DatasetRow, _ trees: DatasetTrees, importedCount: Int, writer: StoreWriter
  ) throws -> ImportSummary {
    var row = row
    row.sectionCount = trees.sections.count
    row.itemCount = trees.items.count
    // What is imported is within the limits; what it is added to may not be.
    try Limits.check(count: row.sectionCount, in: 0...Limits.sectionsMax, as: "sections")
    try Limits.check(count: row.itemCount, in: 0...Limits.itemsMax, as: "items")
    row.roots = trees.encodedRoots
    try writer.put(row)
    return ImportSummary(
      importedCount: importedCount, itemCount: row.itemCount, sectionCount: row.sectionCount,
      revision: row.revision)
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
