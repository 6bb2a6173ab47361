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
  ///   - missing: What a match does with items and sections that are not given; of no effect in
  ///     other modes.
  ///   - body: Adds the items. None make an empty dataset.
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `limit`, `duplicateKey`,
  ///   `changedMeanwhile` where items were to be added to a dataset that others kept
  ///   changing, `database`; of a node that shares a log `sharedLogIsAway` and
  ///   `outcomeIsUnknown`; and what `body` throws. The dataset is then as before, unless the
  ///   outcome is unknown.
  /// - Complexity: O(n) time for the n items of the dataset afterwards, in constant
  ///   memory besides the keys of the sections. Appending k items to many more than k
  ///   takes O(k log n) time and O(k) memory.
  public func importItems(
    into name: String, mode: ImportMode, onDuplicate duplicates: DuplicateRows = .fail,
    missing: MissingItems = .remove, _ body: (inout Importer) throws -> Void
  ) throws -> ImportSummary {
    try call { _ in
      var importer = try beginImport(into: name, mode, duplicates, missing)
      try body(&importer)
      return try finish(&importer, into: name, mode)
    }
  }

  /// Begins an import, and returns its importer.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:missing:_:)``.
  func beginImport(
    into name: String, _ mode: ImportMode, _ duplicates: DuplicateRows, _ missing: MissingItems
  ) throws -> Importer {
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Early, and again in the end: the answer may change while the items come in.
      if mode == .create, try isThere(name) {
        throw LayoutCacheError(.datasetExists(name))
      }
    }
    // A list that a dataset is to equal has each key once.
    let takesDuplicates = duplicates != .fail && mode != .match
    return Importer(
      path: path, items: ImportedItems(memoryBytesMax: options.importBytes / 2),
      keys: takesDuplicates ? try mappingErrors(path) { try ImportedKeys(duplicates) } : nil,
      missing: mode == .match ? missing : nil)
  }

  /// Whether there is a dataset of a name, in the shared log if the cache follows one.
  private func isThere(_ name: String) throws -> Bool {
    if let coordinator = try coordinator() { return try coordinator.hasDataset(name) }
    return try store.read { try exists(name, $0) }
  }

  /// Commits the items that an importer has read.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:missing:_:)``.
  func finish(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary {
    try call { _ in
      let attempts = mode == .match ? Budgets.resolutionAttempts : Budgets.importAttempts
      for _ in 0..<attempts {
        if let summary = try take(&importer, into: name, mode) { return summary }
      }
      throw LayoutCacheError(.changedMeanwhile(dataset: name))
    }
  }

  /// - Returns: `nil` where the dataset has changed while its trees were built.
  private func take(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary? {
    do {
      guard try isThere(name) else { return try build(name, from: &importer, .none) }
      switch mode {
      case .create: throw LayoutCacheError(.datasetExists(name))
      case .replace: return try build(name, from: &importer, .replaced)
      case .match:
        try coordinator()?.ensureResident(name)
        if let summary = try match(&importer, name) { return summary.value }
      case .append:
        try coordinator()?.ensureResident(name)
        guard let count = try itemCount(of: name) else { return nil }
        if let batch = importer.asBatch(for: count) {
          let revision = try commit(ChangeRequest(.append(batch)), to: name).revision
          return batch.summary(at: revision)
        }
      }
      return try build(name, from: &importer, .kept)
    } catch let error as LayoutCacheError {
      switch error.code {
      // The caller expects it.
      case .revisionMismatch where importer.expected != nil: throw error
      // It was removed in the meantime, or is no longer what the items were added to.
      case .noSuchDataset, .changedMeanwhile, .revisionMismatch: return nil
      default: throw error
      }
    }
  }

  /// The number of items of a dataset, with what only the log holds; `nil` where there is
  /// none of the name.
  func itemCount(of name: String) throws -> Int? {
    try store.read { reader in
      guard try exists(name, reader) else { return nil }
      let known = openDatasets.known(name).state
      return try current(name, known: known, reader: reader).trees.items.count
    }
  }

  func exists(_ name: String, _ reader: StoreReader) throws -> Bool {
    try reader.dataset(named: name) != nil
  }
}

extension Importer {
  /// The accepted items, as a batch; `nil` where that is longer than one may be, or where a dataset
  /// of so many items is better rebuilt.
  func asBatch(for itemCount: Int) -> ImportedBatch? {
    // An update is logged with what was before.
    let batchBytes = items.batchBytesMax * (keys == nil ? 1 : 4)
    let isSmall =
      items.count < itemCount / Budgets.rebuildRatio && batchBytes <= Limits.batchBytesMax
    return isSmall || items.sectionKeys.isEmpty ? ImportedBatch(items, keys) : nil
  }
}
