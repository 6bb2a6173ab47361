import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Imports items into a dataset, all or none: where anything fails, or the process is
  /// killed, nothing is seen of it.
  ///
  ///     try cache.importItems(into: "phones", mode: .create) { importer in
  ///       try importer.add(Item(key: "a", width: 4, height: 3), section: "1997")
  ///     }
  ///
  /// The trees are written in short transactions into a space that nobody sees, and
  /// published in one: neither readers nor other writers wait for long.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - mode: What happens to a dataset of the name.
  ///   - body: Adds the items.
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `limit`, `duplicateKey`,
  ///   `changedMeanwhile` where items were to be added to a dataset that others kept
  ///   changing, `database`; and what `body` throws. The dataset is then as before.
  /// - Complexity: O(n) time for the n items of the dataset afterwards, in constant
  ///   memory beside the keys of the sections. Appending k items to many more than k
  ///   takes O(k log n) time and O(k) memory.
  public func importItems(
    into name: String, mode: ImportMode, _ body: (inout Importer) throws -> Void
  ) throws -> ImportSummary {
    try call { _ in
      var importer = try beginImport(into: name, mode)
      try body(&importer)
      return try finish(&importer, into: name, mode)
    }
  }

  /// What takes the items of an import.
  ///
  /// - Throws: As ``importItems(into:mode:_:)``.
  func beginImport(into name: String, _ mode: ImportMode) throws -> Importer {
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Early, and again in the end: the answer may change while the items come in.
      if mode == .create, try store.read({ try exists(name, $0) }) {
        throw LayoutCacheError(.datasetExists(name))
      }
    }
    return Importer(path: path, items: ImportedItems(memoryBytesMax: options.importBytes / 2))
  }

  /// Puts the items in place that an importer has taken.
  ///
  /// - Throws: As ``importItems(into:mode:_:)``.
  func finish(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary {
    try call { _ in
      for _ in 0..<Budgets.importAttempts {
        if let summary = try take(&importer.items, into: name, mode) { return summary }
      }
      throw LayoutCacheError(.changedMeanwhile(dataset: name))
    }
  }

  /// - Returns: `nil` where the dataset has changed while its trees were built.
  private func take(
    _ items: inout ImportedItems, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary? {
    guard try store.read({ try exists(name, $0) }) else {
      return try build(name, from: &items, on: .nothing)
    }
    switch mode {
    case .create: throw LayoutCacheError(.datasetExists(name))
    case .replace: return try build(name, from: &items, on: .replaced)
    case .append:
      guard let count = try itemCount(of: name) else { return nil }
      // What is put in place is a batch, and no longer than one may be.
      if items.count < count / Budgets.rebuildRatio,
        items.batchBytesMax <= Limits.batchBytesMax
      {
        return try change(name) { try append(&items, to: &$0) }
      }
      // The base's nodes are there as long as it is read.
      return try store.read { reader in
        try build(name, from: &items, on: .kept(current(name, reader: reader), reader))
      }
    }
  }

  /// The number of items of a dataset, with what only the log holds; `nil` where there is
  /// none of the name.
  private func itemCount(of name: String) throws -> Int? {
    try store.read { reader in
      guard try exists(name, reader) else { return nil }
      let known = openDatasets.known(name).state
      return try current(name, known: known, reader: reader).trees.items.count
    }
  }

  private func exists(_ name: String, _ reader: StoreReader) throws -> Bool {
    try reader.dataset(named: name) != nil
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
}

// MARK: - Building

extension LayoutCache {
  /// What a dataset is built on.
  private enum Ground {
    /// There is no dataset of the name.
    case nothing
    /// Its items go.
    case replaced
    /// Its items stay, as they are in a state.
    case kept(DatasetState, StoreReader)
  }

  /// Builds a dataset in a fresh space, and publishes it.
  ///
  /// - Returns: `nil` where the ground is not there any more.
  private func build(
    _ name: String, from imported: inout ImportedItems, on ground: Ground
  ) throws -> ImportSummary? {
    let filler = try SpaceFiller(store, now: clock.now)
    let summary: ImportSummary?
    do {
      let trees = try trees(from: &imported, on: ground, into: filler)
      try check(trees)
      summary = try publish(trees, as: name, in: filler, on: ground)
        .map { ImportSummary(imported.count, $0) }
    } catch {
      // What went wrong is what counts; the space is given back in time in any case.
      try? giveBack(filler.space)
      throw error
    }
    if summary == nil { try giveBack(filler.space) } else { try reclaim() }
    return summary
  }

  private func trees(
    from imported: inout ImportedItems, on ground: Ground, into filler: SpaceFiller
  ) throws -> DatasetTrees {
    var builder = DatasetBuilder(
      into: filler, PooledNodes(store: store), hash: store.hash, shapes: options.treeShapes,
      sortBytesMax: options.importBytes / 2)
    var kept: Set<Int> = []
    if case .kept(let state, let reader) = ground {
      kept = try Self.append(
        state.trees, and: &imported, to: &builder,
        in: TreeSession(reader, keepsNodes: false))
    }
    for section in imported.sectionKeys.indices where !kept.contains(section) {
      let count = try Self.append(section, of: &imported, to: &builder)
      try builder.endSection(key: imported.sectionKeys[section], itemCount: count)
    }
    do {
      let trees = try builder.finish()
      try imported.watch(imported.count, imported.count)
      return trees
    } catch let error as DuplicateKeysFound {
      guard let duplicate = try imported.firstDuplicate(among: error.keys) else { throw error }
      throw LayoutCacheError(.duplicateKey(duplicate.withoutUnknownLines))
    }
  }

  /// Makes what was built the dataset's items.
  ///
  /// - Returns: Its state; `nil` where the ground is not there any more.
  private func publish(
    _ trees: DatasetTrees, as name: String, in filler: SpaceFiller, on ground: Ground
  ) throws -> DatasetState? {
    switch ground {
    case .nothing:
      return try create(name, trees, in: filler)
    case .replaced:
      guard try store.read({ try exists(name, $0) }) else { return nil }
      return try change(name, isReplaced: true) { change in
        try change.replaceItems(with: trees, in: filler.space, nextNode: filler.next)
        // What is there now comes from no source that has been followed.
        try change.writer.deleteMarks(of: change.state.row.id)
        return change.state
      }
    case .kept(let base, _):
      return try change(name) { change in
        guard change.state.revision == base.revision, change.state.row.id == base.row.id else {
          return nil
        }
        try change.replaceItems(with: trees, in: filler.space, nextNode: filler.next)
        return change.state
      }
    }
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
        try old.forEachRun(of: range, in: session) { try builder.append($0) }
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
    let (watch, total) = (imported.watch, imported.count)
    try imported.forEachRun(ofSection: section) { run in
      try builder.append(run.items)
      count += run.items.count
      try watch(min(builder.itemCount, total), total)
    }
    return count
  }
}

extension ImportSummary {
  init(_ importedCount: Int, _ state: DatasetState) {
    self.init(
      importedCount: importedCount, itemCount: state.trees.items.count,
      sectionCount: state.trees.sections.count, revision: state.revision)
  }
}
