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
  ///   - duplicates: What happens to an item whose key is there already. Where that is no
  ///     failure, each key takes a look-up in a temporary file, and an import that comes to
  ///     nothing makes no revision.
  ///   - body: Adds the items. None make an empty dataset.
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `limit`, `duplicateKey`,
  ///   `changedMeanwhile` where items were to be added to a dataset that others kept
  ///   changing, `database`; and what `body` throws. The dataset is then as before.
  /// - Complexity: O(n) time for the n items of the dataset afterwards, in constant
  ///   memory beside the keys of the sections. Appending k items to many more than k
  ///   takes O(k log n) time and O(k) memory.
  public func importItems(
    into name: String, mode: ImportMode, onDuplicate duplicates: DuplicateRows = .fail,
    _ body: (inout Importer) throws -> Void
  ) throws -> ImportSummary {
    try call { _ in
      var importer = try beginImport(into: name, mode, duplicates)
      try body(&importer)
      return try finish(&importer, into: name, mode)
    }
  }

  /// What takes the items of an import.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:_:)``.
  func beginImport(
    into name: String, _ mode: ImportMode, _ duplicates: DuplicateRows
  ) throws -> Importer {
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Early, and again in the end: the answer may change while the items come in.
      if mode == .create, try store.read({ try exists(name, $0) }) {
        throw LayoutCacheError(.datasetExists(name))
      }
    }
    return Importer(
      path: path, items: ImportedItems(memoryBytesMax: options.importBytes / 2),
      keys: duplicates == .fail ? nil : try mappingErrors(path) { try ImportedKeys(duplicates) })
  }

  /// Puts the items in place that an importer has taken.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:_:)``.
  func finish(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary {
    try call { _ in
      for _ in 0..<Budgets.importAttempts {
        guard var summary = try take(&importer, into: name, mode) else { continue }
        summary.duplicateCount = importer.keys?.duplicateCount ?? 0
        summary.duplicates = importer.keys?.duplicates ?? []
        return summary
      }
      throw LayoutCacheError(.changedMeanwhile(dataset: name))
    }
  }

  /// - Returns: `nil` where the dataset has changed while its trees were built.
  private func take(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary? {
    try importer.keys?.begin()
    guard try store.read({ try exists(name, $0) }) else {
      return try build(name, from: &importer, on: .nothing)
    }
    switch mode {
    case .create: throw LayoutCacheError(.datasetExists(name))
    case .replace: return try build(name, from: &importer, on: .replaced)
    case .append:
      guard let count = try itemCount(of: name) else { return nil }
      if importer.items.sectionKeys.isEmpty {
        return try store.read { ImportSummary(0, try current(name, reader: $0)) }
      }
      // What is put in place is a batch, and no longer than one may be. An update is logged
      // with what was before.
      let batchBytes = importer.items.batchBytesMax * (importer.keys == nil ? 1 : 4)
      if importer.items.count < count / Budgets.rebuildRatio,
        batchBytes <= Limits.batchBytesMax
      {
        return try change(name) { change in
          guard let keys = importer.keys else { return try append(&importer.items, to: &change) }
          return try upsert(&importer.items, keys, in: &change)
        }
      }
      // The base's nodes are there as long as it is read.
      return try store.read { reader in
        try build(name, from: &importer, on: .kept(current(name, reader: reader), reader))
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

  func exists(_ name: String, _ reader: StoreReader) throws -> Bool {
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

  /// Puts those items in place that are new, and brings the others up to date, where that is
  /// asked for, as a batch of upserts does.
  private func upsert(
    _ imported: inout ImportedItems, _ keys: ImportedKeys, in change: inout DatasetChange
  ) throws -> ImportSummary {
    let session = change.session
    defer { noteLoaded(session) }
    let countBefore = change.state.trees.items.count
    var resolver = OperationResolver(change.state.trees, in: session) { _ in nil }
    for number in imported.sectionKeys.indices {
      let key = imported.sectionKeys[number]
      if !imported.hasItems[number] { try resolver.makeSection(key) }
      try imported.forEachRun(ofSection: number) { run in
        let statements = try keys.statements(of: run) {
          try resolver.trees.itemIndex(ofKey: $0, in: session) != nil
        }
        try resolver.upsert(statements, section: key, moving: false)
      }
    }
    try check(resolver.trees)
    if resolver.makesRevision {
      change.state.trees = resolver.trees
      _ = try change.commit(LoggedBatch(operations: resolver.resolved))
    }
    return ImportSummary(change.state.trees.items.count - countBefore, change.state)
  }
}

extension ImportSummary {
  init(_ importedCount: Int, _ state: DatasetState) {
    self.init(
      importedCount: importedCount, itemCount: state.trees.items.count,
      sectionCount: state.trees.sections.count, revision: state.revision)
  }
}
