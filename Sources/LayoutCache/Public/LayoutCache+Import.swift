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
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Early, and again below: the answer may change while the items come in.
      if mode == .create, try !isNew(name) { throw LayoutCacheError(.datasetExists(name)) }
      var importer = Importer(
        path: path, items: ImportedItems(memoryBytesMax: options.importBytes / 2))
      // No lock is held here: the items may take their time to come in.
      try body(&importer)
      if try isNew(name), let summary = try buildNew(name, from: &importer.items) { return summary }
      if mode == .create { throw LayoutCacheError(.datasetExists(name)) }
      return try change(name, isReplaced: mode == .replace) { change in
        let count = change.state.trees.items.count
        // What is put in place is a batch, and no longer than one may be.
        if mode == .append, importer.items.count < count / Budgets.rebuildRatio,
          importer.items.batchBytesMax <= Limits.batchBytesMax
        {
          return try append(&importer.items, to: &change)
        }
        return try rebuild(
          &change.state, from: &importer.items, keepsItems: mode == .append,
          writer: change.writer)
      }
    }
  }

  private func isNew(_ name: String) throws -> Bool {
    try store.read { try $0.dataset(named: name) == nil }
  }

  /// Puts items in place behind those of their sections, as a batch of insertions
  /// that the layouts in use follow, and the others catch up with.
  private func append(
    _ imported: inout ImportedItems, to change: inout DatasetChange
  ) throws -> ImportSummary {
    let session = change.session
    defer { noteLoaded(session) }
    var trees = change.state.trees
    var batch = LoggedBatch(operations: [])
    var keys: Set<ExactKey> = []
    var duplicates: Set<ExactKey> = []
    func take(_ operation: ResolvedOperation) throws {
      try trees.apply(operation, in: session)
      batch.operations.append(operation)
    }
    for number in imported.sectionKeys.indices {
      let key = imported.sectionKeys[number]
      let known = try trees.sectionIndex(ofKey: key, in: session)
      let section = SectionReference(index: known ?? trees.sections.count, key: key)
      if known == nil { try take(.insertSection(section)) }
      try imported.forEachRun(ofSection: number) { run in
        for index in 0..<run.items.count {
          let key = run.items.key(at: index)
          let isNew = keys.insert(ExactKey(key)).inserted
          if try !isNew || trees.itemIndex(ofKey: key, in: session) != nil {
            duplicates.insert(ExactKey(key))
          }
        }
        // What is refused in the end need not be put in place.
        guard duplicates.isEmpty else { return }
        let end = try trees.items(ofSection: section.index, in: session).count
        try take(.insertItems(run.items, index: end, section: section))
      }
    }
    if let duplicate = try imported.firstDuplicate(among: duplicates) {
      throw LayoutCacheError(.duplicateKey(duplicate.withoutUnknownLines))
    }
    try check(trees)
    change.state.trees = trees
    _ = try change.commit(batch)
    return ImportSummary(imported.count, change.state)
  }

  /// Builds a dataset that the file does not have.
  ///
  /// - Returns: `nil` where another has made it meanwhile.
  private func buildNew(
    _ name: String, from imported: inout ImportedItems
  ) throws -> ImportSummary? {
    try store.write { writer in
      if try writer.reader.dataset(named: name) != nil { return nil }
      let space = try writer.makeSpace()
      let row = DatasetRow(
        id: try writer.freshDatasetID(), name: name, space: space, nextNode: 1, revision: 0,
        sectionCount: 0, itemCount: 0, roots: [])
      var state = DatasetState(
        row: row, revision: 0,
        trees: DatasetTrees(hash: store.hash, shapes: options.treeShapes),
        shapes: options.treeShapes)
      return try build(&state, from: &imported, keepsItems: false, in: space, writer: writer)
    }
  }

  /// Builds the dataset in a fresh space and puts it in place of what there was.
  private func rebuild(
    _ state: inout DatasetState, from imported: inout ImportedItems, keepsItems: Bool,
    writer: StoreWriter
  ) throws -> ImportSummary {
    let old = state.row.space
    let summary = try build(
      &state, from: &imported, keepsItems: keepsItems, in: writer.makeSpace(), writer: writer)
    try writer.deleteNodes(in: old)
    return summary
  }

  /// Builds the dataset and stores its row. The log ends there: what comes before is
  /// nothing that a layout could follow.
  private func build(
    _ state: inout DatasetState, from imported: inout ImportedItems, keepsItems: Bool,
    in space: NodeSpace, writer: StoreWriter
  ) throws -> ImportSummary {
    let sink = writer.nodeSink(in: space, next: 1)
    var builder = DatasetBuilder(
      writer: writer, sink: sink, shapes: options.treeShapes,
      sortBytesMax: options.importBytes / 2)
    var kept: Set<Int> = []
    if keepsItems {
      kept = try Self.append(
        state.trees, and: &imported, to: &builder,
        in: TreeSession(writer.reader, keepsNodes: false))
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
    try check(trees)
    state.row.space = space
    state.row.nextNode = sink.next
    state.trees = trees
    state.edits = TreeEdits()
    state.layouts = [:]
    state.revision += 1
    try state.checkpoint(writer)
    try writer.cutLog(of: state.row.id, through: state.revision)
    return ImportSummary(imported.count, state)
  }

  /// Holds a dataset to the limits: what is imported is within them, what it is added
  /// to may not be.
  private func check(_ trees: DatasetTrees) throws {
    try Limits.check(trees.sections.count, in: 0...Limits.sectionsMax, as: "sections")
    try Limits.check(trees.items.count, in: 0...Limits.itemsMax, as: "items")
  }

  /// Appends the sections that a dataset has, each with the items imported for it.
  ///
  /// - Returns: The numbers of the imported sections that are among them.
  private static func append(
    _ old: DatasetTrees, and imported: inout ImportedItems, to builder: inout DatasetBuilder,
    in session: TreeSession
  ) throws -> Set<Int> {
    var known: Set<Int> = []
    var start = 0
    try old.sections.forEachLeaf(in: session) { leaf, _ in
      for entry in leaf.entries {
        let range = start..<(start + entry.itemCount)
        try old.items.forEachRun(of: range, in: session) { try builder.append($0) }
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

extension ImportSummary {
  fileprivate init(_ importedCount: Int, _ state: DatasetState) {
    self.init(
      importedCount: importedCount, itemCount: state.trees.items.count,
      sectionCount: state.trees.sections.count, revision: state.revision)
  }
}
